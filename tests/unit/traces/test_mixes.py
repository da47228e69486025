"""The three mixes: what the documentation says of them is what they are."""

import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from workbench.base import InputError
from workbench.traces import (
    CHAT,
    MIXES,
    Mix,
    QuantileCurve,
    Trace,
    make_mix,
    only_phase,
    open_loop,
    summarize_trace,
)

DOCUMENT = (Path(__file__).parents[3] / "docs" / "reference" / "traces.md").read_text()
NAMES = list(MIXES)


def documented(label: str) -> dict[str, str]:
    """A row of the tables of the document, by mix."""
    match = re.search(rf"^\| {re.escape(label)} \| (.*) \| (.*) \| (.*) \|$", DOCUMENT, re.MULTILINE)
    assert match, label
    return dict(zip(NAMES, match.groups(), strict=True))


def cell(value: object) -> str:
    if isinstance(value, QuantileCurve):
        return ", ".join(f"{100 * share:g} %: {at:g}" for share, at in value.points)
    if isinstance(value, tuple):
        return ", ".join(f"{item:g}" for item in value)
    return f"{value:g}"


def measured(trace: Trace) -> dict[str, float]:
    summary = summarize_trace(trace)
    return {
        "rate, requests/s": summary.rate_rps,
        "input mean": summary.input_tokens.mean,
        "input p50": summary.input_tokens.p50,
        "input p95": summary.input_tokens.p95,
        "output mean": summary.output_tokens.mean,
        "output p50": summary.output_tokens.p50,
        "output p95": summary.output_tokens.p95,
        "CV": summary.cv,
        "prefix hit, %": 100 * summary.prefix_hit_ideal,
        "cancelled, %": 100 * summary.cancelled_share,
        "requests per conversation": len(trace) / summary.sessions,
    }


def check_statistics(name: str, seed: int) -> None:
    rate = float(documented("rate, requests/s")[name])
    figures = measured(make_mix(name, requests=20_000, rate=rate, seed=seed))
    for label, value in figures.items():
        assert value == pytest.approx(float(documented(label)[name]), rel=0.05), label


@pytest.mark.parametrize("name", NAMES)
def test_that_measured_statistics_match_the_documentation_within_five_percent(name):
    check_statistics(name, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3, 4, 5])
@pytest.mark.parametrize("name", NAMES)
def test_that_the_documentation_holds_for_other_seeds(name, seed):
    check_statistics(name, seed)


@pytest.mark.parametrize("field", [field.name for field in fields(Mix) if field.name != "name"])
def test_that_the_document_states_every_parameter(field):
    stated = documented(f"`{field}`")
    assert stated == {name: cell(getattr(mix, field)) for name, mix in MIXES.items()}


def test_that_a_mix_is_the_same_bytes_every_time_and_differs_by_seed():
    made = [make_mix("agent", requests=300, rate=2, seed=seed).sha256(1) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    assert made[0] == "9bae7eaf32000e4ae9987f0fb7b5fb3f55afea89a42ae6e8d5b7312a297579c1"


def test_that_number_and_mean_rate_are_exact():
    for name in NAMES:
        trace = make_mix(name, requests=777, rate=3.7)
        assert len(trace) == 777
        assert summarize_trace(trace).rate_rps == pytest.approx(3.7, rel=1e-6)
    assert len(make_mix("chat", requests=1, rate=1)) == 1


def test_that_later_turns_have_the_blocks_of_earlier_ones_and_more():
    trace = make_mix(replace_mix(CHAT, context_limit=100_000), requests=2000, rate=5)
    latest: dict[str, tuple[int, ...]] = {}
    grown = 0
    for row in trace.rows():
        before = latest.get(row.session_id)
        if before is not None:
            assert row.hash_ids[: len(before)] == before
            grown += 1
        latest[row.session_id] = row.hash_ids
    assert grown > 500


def replace_mix(mix: Mix, **changes) -> dict[Mix, float]:
    return {replace(mix, **changes): 1.0}


def test_that_conversations_share_no_more_than_their_system_prompt():
    trace = make_mix("chat", requests=500, rate=5)
    owners: dict[int, set[str]] = {}
    for row in trace.rows():
        for block in row.hash_ids:
            owners.setdefault(block, set()).add(row.session_id)
    shared = sorted(block for block, sessions in owners.items() if len(sessions) > 1)
    assert shared == list(range(3 + 6 + 1))


def test_that_every_prompt_has_an_id_for_each_block_and_fits_the_limit():
    for name in NAMES:
        trace = make_mix(name, requests=400, rate=4)
        assert np.all(np.diff(trace.hash_offsets) == -(-trace.input_length // 64))
        assert trace.input_length.max() <= MIXES[name].context_limit
        assert trace.cancel_after_tokens.max() <= trace.output_length.max()


def test_that_later_turns_wait_for_their_previous_one():
    trace = make_mix("chat", requests=500, rate=5)
    assert np.array_equal(np.isnan(trace.delay_ms), trace.turn == 0)
    schedule = open_loop(trace)
    assert (schedule.after >= 0).sum() > 100
    assert np.all(schedule.after < np.arange(len(schedule)))


def test_that_mixes_blend_by_weight():
    trace = make_mix("chat:3,agent:1", requests=1001, rate=4)
    counts = dict(zip(trace.classes.names, np.bincount(trace.classes.codes).tolist(), strict=True))
    assert counts == {"chat": 751, "agent": 250}
    ids = {name: set() for name in counts}
    for row in trace.rows():
        ids[row.cls] |= set(row.hash_ids)
    assert not ids["chat"] & ids["agent"]


def test_that_a_mix_can_be_split_into_its_phases():
    trace = make_mix("long-context", requests=1000, rate=4)
    prefill, decode = only_phase(trace, "prefill"), only_phase(trace, "decode")
    assert len(prefill) + len(decode) == 1000
    assert (
        (prefill.input_length / prefill.output_length).min()
        >= 16
        > (decode.input_length / decode.output_length).max()
    )
    with pytest.raises(InputError, match="must be one of prefill, decode"):
        only_phase(trace, "both")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cancelled": 1.5}, "cancelled: 1.5 is out of range: must be from 0 to 1"),
        ({"turns_mean": 0.5}, "turns_mean: 0.5 is out of range: must be from 1"),
        ({"context_limit": 100}, "context_limit: 100 must be greater than 384"),
        ({"system_weights": (1.0,)}, "one weight for each system prompt"),
    ],
)
def test_that_parameters_out_of_range_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        replace(CHAT, **changes)


@pytest.mark.parametrize(
    "points", [((0, 1),), ((0.1, 1), (1, 2)), ((0, 5), (1, 2)), ((0, 1), (0, 2), (1, 3))]
)
def test_that_quantiles_rise_from_0_to_1(points):
    with pytest.raises(InputError, match="probabilities must rise"):
        QuantileCurve(points)


def test_that_the_mean_of_quantiles_is_exact():
    quantiles = QuantileCurve(((0, 0), (0.5, 10), (1, 100)))
    assert quantiles.mean() == 30
    assert quantiles.draw(np.random.default_rng(1), 200_000).mean() == pytest.approx(30, rel=0.01)
