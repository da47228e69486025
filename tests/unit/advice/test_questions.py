"""The guide's questions answered from scorecard rows."""

from typing import Any

import pytest

from workbench.advice import ChecklistAnswer, checklist, normal_rate

ROW: dict[str, Any] = {
    "run": "baseline @ 8", "offered_rps": 8.0, "valid": True, "diverging": False, "ttft_p95_ms": 420.0,
    "e2e_p95_ms": 5200.0, "slo_ttft_ms": 500.0, "slo_e2e_ms": 6000.0, "duration_s": 120.0, "preemptions": 0.0,
    "kv_peak": 0.6, "n": 1, "simulated": False,
}  # fmt: skip


def _answers(*rows: dict[str, Any], **options: Any) -> list[ChecklistAnswer]:
    return checklist(rows, **options)


def test_that_without_runs_every_question_is_open_and_has_a_plan() -> None:
    answers = _answers()
    assert [answer.verdict for answer in answers] == ["not measured yet"] * 5
    assert all(answer.missing for answer in answers)


def test_that_targets_are_judged_at_the_expected_rate() -> None:
    met = _answers(ROW)[0]
    assert (met.verdict, met.runs) == ("yes", ["baseline @ 8"])
    assert str(met.why).startswith("At 8 requests/s: TTFT p95 420 ms of the allowed 500 ms; end to end p95")
    half = _answers({**ROW, "slo_e2e_ms": None})[0]
    assert (half.verdict, str(half.why).endswith("No target is set for end to end.")) == ("yes", True)
    assert _answers({**ROW, "ttft_p95_ms": 900.0})[0].verdict == "no"
    assert _answers({**ROW, "e2e_p95_ms": None})[0].verdict == "not measured yet"
    assert _answers({**ROW, "slo_ttft_ms": None, "slo_e2e_ms": None})[0].missing == {
        "objectives": {"ttft_p95_ms": 500}
    }
    assert _answers({**ROW, "valid": False})[0].verdict == "not measured yet"
    assert _answers(ROW, expected_rps=20.0)[0].missing == {"load": {"rates": [20.0]}}


def test_that_a_burst_is_judged_by_what_became_of_the_queue() -> None:
    burst = {**ROW, "run": "burst", "offered_rps": 12.0, "waiting_max": 300.0}
    assert _answers(ROW)[1].missing["load"]["arrivals"] == "gamma"
    endless = _answers(ROW, {**burst, "diverging": True}, expected_rps=8.0)[1]
    assert (endless.verdict, "without end" in str(endless.why)) == ("no", True)
    bounded = _answers(ROW, {**burst, "diverging": True, "rejected_rate": 0.2}, expected_rps=8.0)[1]
    assert (bounded.verdict, "20 % were rejected" in str(bounded.why)) == ("yes", True)
    assert _answers(ROW, {**burst, "burst_factor": 4.0}, expected_rps=8.0)[1].verdict == "yes"


def test_that_stability_needs_ten_minutes() -> None:
    assert _answers(ROW)[2].missing == {"load": {"rates": [8.0], "duration_s": 600}}
    assert _answers({**ROW, "duration_s": 900.0})[2].verdict == "yes"
    assert _answers({**ROW, "duration_s": 900.0, "preemptions": 30.0})[2].verdict == "no"
    creeping = _answers({**ROW, "duration_s": 900.0, "grows": ["KV use grows"]})[2]
    assert (creeping.verdict, str(creeping.why)) == (
        "no",
        "0 preemptions (0 a minute), KV peak 60 %: KV use grows.",
    )


def test_that_simulated_runs_reproduce_nothing_on_a_gpu() -> None:
    answer = _answers({**ROW, "simulated": True})[3]
    assert answer.verdict == "not measured yet"
    assert "no evidence for a GPU" in str(answer.why)
    targets = _answers({**ROW, "simulated": True})[0]
    assert str(targets.why).endswith("Simulated: confirm it on the real GPU.")
    assert "Simulated" not in str(_answers(ROW)[0].why)


def test_that_reproduction_needs_repeats_revision_and_a_small_spread() -> None:
    good = {**ROW, "n": 3, "model_revision": "abc", "gpu_model": "H100", "cv_over_repeats": 0.04}
    assert _answers(good)[3].verdict == "yes"
    assert _answers({**good, "cv_over_repeats": 0.4})[3].verdict == "no"
    assert _answers({**good, "model_revision": None})[3].verdict == "not measured yet"


def test_that_cost_needs_an_alternative_in_the_same_currency() -> None:
    here = {**ROW, "cost_per_1k_accepted": 0.20, "currency": "EUR", "gpu_model": "H100"}
    there = {**ROW, "run": "b", "cost_per_1k_accepted": 0.15, "currency": "EUR", "gpu_model": "H200"}
    assert _answers(here)[4].verdict == "not measured yet"
    assert _answers(here, {**there, "currency": "USD"})[4].verdict == "not measured yet"
    open_ = _answers(here, there)[4]
    assert open_.verdict == "not measured yet"
    assert str(open_.why) == (
        "No demand is stated, so idle time isn't counted; while busy: H200 0.15 EUR per 1,000, H100 0.2."
    )


def test_that_the_chosen_systems_cost_with_idle_time_is_held_against_the_alternatives() -> None:
    """The faster is cheaper while busy and dearer with its idle hours; what drowned is no alternative."""
    here = {**ROW, "cost_per_1k_accepted": 0.20, "cost_reserved_basis": 0.4, "gpu_model": "H100"}
    there = {
        **here,
        "run": "b",
        "cost_per_1k_accepted": 0.15,
        "cost_reserved_basis": 0.6,
        "gpu_model": "H200",
    }
    there |= {"currency": "EUR"}
    here |= {"currency": "EUR"}
    better, dearer = _answers(here, there, chosen=ROW["run"])[4], _answers(here, there, chosen="b")[4]
    assert (better.verdict, str(better.why)) == ("yes", "H100 0.4 EUR per 1,000, H200 0.6.")
    assert (dearer.verdict, str(dearer.why)) == ("no", "H200 0.6 EUR per 1,000, H100 0.4.")
    drowned = {**there, "diverging": True, "cost_reserved_basis": 0.1}
    assert _answers(here, drowned, chosen=ROW["run"])[4].verdict == "not measured yet"
    assert (
        _answers(here, {**drowned, "diverging": False, "ttft_p95_ms": 501.0})[4].verdict == "not measured yet"
    )


def test_that_a_burst_says_what_became_of_first_tokens_beside_the_normal_rate() -> None:
    normal = {**ROW, "ttft_p95_ms": 300.0, "slo_ttft_ms": 500.0}
    burst = {**normal, "run": "burst", "offered_rps": 12.0, "waiting_max": 300.0, "ttft_p95_ms": 2400.0}
    late = _answers(normal, burst, expected_rps=8.0)[1]
    assert "TTFT p95 2.4 s (300 ms at the normal rate), which misses 500 ms" in str(late.why)
    # It settled, and nothing bounded what callers had to wait meanwhile.
    assert late.verdict == "no"
    assert _answers(normal, {**burst, "ttft_p95_ms": 450.0}, expected_rps=8.0)[1].verdict == "yes"
    # What a queue that never settles does to it depends on how long one looks.
    assert "TTFT" not in str(_answers(normal, {**burst, "diverging": True}, expected_rps=8.0)[1].why)


def test_that_a_burst_alone_answers_nothing_about_the_normal_rate() -> None:
    burst = {**ROW, "experiment_kind": "burst", "rate": 5.0, "offered_rps": 6.3, "waiting_max": 40.0}
    targets, met, *_ = _answers(burst)
    assert (targets.verdict, targets.missing["load"]["rates"]) == ("not measured yet", [5.0])
    assert met.verdict == "yes"
    assert normal_rate([burst]) == 5.0
    assert normal_rate([burst, {**ROW, "offered_rps": 8.0}]) == 8.0


def test_that_the_unevenness_of_a_mix_at_its_normal_rate_is_no_burst_above_it() -> None:
    uneven = {**ROW, "burst_factor": 1.9, "waiting_max": 29.0, "experiment_kind": "ladder"}
    assert _answers(uneven)[1].verdict == "not measured yet"
    assert _answers({**uneven, "experiment_kind": "burst"})[1].verdict == "yes"
    # A burst for which nobody had to wait met no queue.
    calm = {**uneven, "experiment_kind": "burst", "waiting_max": 0.0}
    assert _answers(calm)[1].verdict == "not measured yet"


def test_that_what_another_configuration_did_under_a_burst_says_nothing_of_the_chosen_one() -> None:
    """Four seats at the burst's rate drowned; the configuration that goes live was never asked."""
    drowned = {**ROW, "run": "seats 4 @ 20", "control": "max_num_seqs", "value": 4, "offered_rps": 20.0}
    drowned |= {"diverging": True, "waiting_max": 205.0, "duration_s": 700.0}
    rows = [{**ROW, "control": None, "value": None}, drowned]
    burst = _answers(*rows)[1]
    assert (burst.verdict, burst.runs) == ("no", ["seats 4 @ 20"])
    burst, soak = _answers(*rows, chosen="baseline @ 8")[1:3]
    assert (burst.verdict, burst.runs) == ("not measured yet", [])
    assert soak.verdict == "not measured yet"


@pytest.mark.parametrize(
    ("arrivals", "verdict"),
    [(5.0, "yes"), (1.0, "not measured yet"), (None, "not measured yet"), ("1 | 5", "not measured yet")],
)
def test_that_runs_of_one_row_that_arrived_unlike_are_no_burst(
    arrivals: float | str | None, verdict: str
) -> None:
    row = {"run": "a", "offered_rps": 2.0, "waiting_max": 7.0, "burst_factor": arrivals, "valid": True}
    _targets, burst, *_others = checklist([row], expected_rps=2.0)
    assert burst.verdict == verdict
