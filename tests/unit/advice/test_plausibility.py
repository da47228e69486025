"""Figures that can't be are named; figures that can are left alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.advice import RunView, implausible, roofline
from workbench.advice.sizing import shape_of
from workbench.profiles import Card, find_card, load_cards
from workbench.results import RequestRecord, Sample

CONFIGS = json.loads((Path(__file__).parents[2] / "data" / "advice" / "model_configs.json").read_text())


def _roof(model: str = "meta-llama/Llama-3.1-8B-Instruct", card: str = "h100", **sizes: int) -> Any:
    return roofline(find_card(card), shape_of(CONFIGS[model], where=model), **sizes)


def _said(figures: dict[str, Any], **roof: Any) -> list[str]:
    return [str(note) for note in implausible(RunView(samples=[], figures=figures), _roof(**roof))]


def test_that_an_8b_model_on_an_h100_has_no_step_below_its_weights() -> None:
    assert _roof().step_ms == pytest.approx(4.8, abs=0.02)
    assert "Impossible: 4.70 ms a token" in _said({"tpot_ms": {"p50": 4.7}})[0]
    assert _said({"tpot_ms": {"p50": 5.9}}) == []


@pytest.mark.parametrize("card", load_cards(), ids=lambda card: card.name)
def test_that_each_card_has_a_floor_of_its_own_below_which_a_step_is_impossible(card: Card) -> None:
    """16.06 GB of weights, read once at the card's peak bandwidth."""
    floor = _roof(card=card.name).step_ms
    assert floor == pytest.approx(16.06 / card.bandwidth_tb_s, rel=0.002)
    assert "Impossible" in _said({"tpot_ms": {"p50": 0.98 * floor}}, card=card.name)[0]
    assert _said({"tpot_ms": {"p50": 1.02 * floor}}, card=card.name) == []
    # And a rate of its own: two operations a weight and token.
    rate = _roof(card=card.name).tokens_s
    assert "but the card can compute" in _said({"output_tok_s": 1.02 * rate}, card=card.name)[0]
    assert _said({"output_tok_s": 0.98 * rate}, card=card.name) == []


def test_that_more_cards_and_fewer_bits_lower_the_floor() -> None:
    assert _roof(tp=2).step_ms == pytest.approx(2.4, abs=0.02)
    assert _roof("RedHatAI/Qwen2.5-7B-Instruct-fp8-dynamic").step_ms < 3


def test_that_of_experts_only_the_active_ones_are_read() -> None:
    assert _roof("mistralai/Mixtral-8x7B-Instruct-v0.1", tp=2).step_ms == pytest.approx(3.85, abs=0.2)


def test_that_prefill_beyond_the_cards_arithmetic_is_impossible_unless_it_was_cached() -> None:
    figures = {"input_tok_s": 80_000.0, "output_tok_s": 500.0}
    assert "tokens/s, but the card can compute" in _said(figures)[0]
    assert _said({**figures, "prefix_hit": 0.9}) == []


def test_that_an_unknown_model_has_no_roofline() -> None:
    config = {**CONFIGS["meta-llama/Llama-3.1-8B-Instruct"], "model_type": "newthing"}
    assert roofline(find_card("h100"), shape_of(config, where="x")) is None


def test_that_percentiles_out_of_order_are_named_in_classes_too() -> None:
    figures = {
        "ttft_ms": {"p50": 300.0, "p95": 200.0},
        "classes": {"chat": {"e2e_ms": {"p95": 9.0, "max": 8.0}}},
    }
    assert _said(figures) == [
        "Impossible: ttft_ms p50 300 is above p95 200.",
        "Impossible: chat: e2e_ms p95 9 is above max 8.",
    ]


def test_that_shares_outside_their_range_are_named() -> None:
    assert "kv_peak 1.2" in _said({"kv_peak": 1.2, "error_rate": 0.0})[0]


def test_that_outcomes_must_add_up() -> None:
    requests = {"scheduled": 10, "completed": 8, "failed": 0, "rejected": 0, "timed_out": 0, "cancelled": 0}
    assert _said({"requests": {**requests, "unfinished": 1}}) == [
        "Impossible: 10 requests scheduled, 9 outcomes."
    ]
    assert _said({"requests": {**requests, "unfinished": 2}}) == []


def received(sent: float, done: float, *, lost: bool = False) -> list[str]:
    """What is said of 500 tokens of which the server, looked at for a second, counted 300."""
    record = RequestRecord(
        index=0, row=0, request_id="a", cls="chat", input_tokens=1, output_tokens=1, due=0.0, tokens=500,
        sent=sent, done=done,
    )  # fmt: skip
    taken = [Sample(t=0.0, generation_tokens=100.0), Sample(t=1.0, generation_tokens=400.0)]
    view = RunView(samples=taken, records=[record], server_lost=lost)
    return [str(note) for note in implausible(view)]


def test_that_no_client_receives_more_tokens_than_the_server_generated() -> None:
    assert "500 tokens received, the server generated 300" in received(0.1, 0.9)[0]


def test_that_tokens_are_not_compared_where_the_server_was_not_looked_at_all_the_while() -> None:
    assert received(-0.5, 0.9) == []
    assert received(0.1, 1.4) == []


def test_that_of_a_lost_server_only_its_loss_is_said_and_not_that_its_count_is_too_low() -> None:
    assert received(0.1, 0.9, lost=True) == []
