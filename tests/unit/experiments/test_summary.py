"""Sentences on what was seen."""

from typing import Any

from workbench.base import Message, message
from workbench.experiments.findings.summary import comparison, recommend
from workbench.results import Candidate, Check, Difference, Ranking, Verdict, VerdictKind


def said_of(*arguments: Any) -> str:
    return str(comparison(*arguments))


def advice_on(choice: Ranking) -> list[str]:
    return [str(each) for each in recommend(choice)]


def row(**changes: Any) -> dict[str, Any]:
    return {
        "control": None, "value": None, "old_value": None, "completed_rps": 7.3, "ttft_p95_ms": 18000.0,
        "itl_p95_ms": 12.0, "diverging": True, "valid": True, "n": 1,
    } | changes  # fmt: skip


def variant(**changes: Any) -> dict[str, Any]:
    return row(control="max_num_seqs", value=32, old_value=16, **changes)


def verdict(
    figure: str,
    word: VerdictKind,
    *,
    cls: str | None = None,
    judged: bool = True,
    repeats: int = 1,
    **rest: Any,
) -> Verdict:
    found = Difference(
        baseline=1.0, variant=2.0, estimate=1.0, lo=0.5, hi=1.5, p_value=0.01, error=0.1, freedom=5.0,
        repeats=repeats, effective_n=50.0, restarts_assumed=repeats < 5,
    )  # fmt: skip
    return Verdict(
        figure=figure,
        cls=cls,
        variant="v",
        rate=12.0,
        word=word,
        difference=found if judged else None,
        **rest,
    )


def test_that_a_queue_that_no_longer_grows_is_said_without_the_figure_that_grew_and_of_one_run() -> None:
    stable = verdict("ttft_p95_ms", VerdictKind.BETTER, judged=False, note="stable")
    said = said_of(row(), variant(completed_rps=11.9, ttft_p95_ms=680.0, diverging=False), [stable])
    assert said == (
        "max_num_seqs 16 → 32: throughput 7.3 → 11.9 req/s, p95 TTFT diverging → 680 ms; the queue no longer"
        " grows; a single run each."
    )


def test_that_of_two_runs_that_diverge_no_figure_that_grew_is_quoted() -> None:
    verdicts = [
        verdict("ttft_p95_ms", VerdictKind.CANT_TELL, judged=False),
        verdict("itl_p95_ms", VerdictKind.CANT_TELL),
    ]
    said = said_of(row(), variant(), verdicts)
    assert "p95 TTFT" not in said
    assert "p95 ITL 12 ms → 12 ms" in said
    assert "the queue still grows" in said


def test_that_a_figure_carries_what_its_repeats_allow_one_to_conclude() -> None:
    verdicts = [
        verdict("ttft_p95_ms", VerdictKind.NO_DIFFERENCE, above=900.0, repeats=5),
        verdict("itl_p95_ms", VerdictKind.CANT_TELL, repeats=5, minutes_more=12.4),
    ]
    said = said_of(row(diverging=False, n=5), variant(diverging=False, n=5), verdicts)
    assert "same throughput (7.3 req/s)" in said
    assert "p95 TTFT 18 s → 18 s (no difference above 900 ms)" in said
    assert "p95 ITL 12 ms → 12 ms (can't tell yet, about 12 min more would)" in said
    assert said.endswith("; 5 repeats.")


def test_that_a_conclusion_from_few_runs_says_what_was_assumed_for_it() -> None:
    once = said_of(
        row(diverging=False), variant(diverging=False), [verdict("itl_p95_ms", VerdictKind.BETTER)]
    )
    assert once.endswith(
        "p95 ITL 12 ms → 12 ms (better); a single run each, so the effect of a restart is assumed:"
        " 5 repeats would measure it."
    )
    verdicts = [verdict("itl_p95_ms", VerdictKind.NO_DIFFERENCE, above=1.0, repeats=3)]
    thrice = said_of(row(diverging=False, n=3), variant(diverging=False, n=3), verdicts)
    assert thrice.endswith(
        "; 3 repeats, so the effect of a restart is partly assumed: 5 repeats would measure it."
    )


def test_that_a_class_is_named_where_it_fares_otherwise_than_the_whole() -> None:
    verdicts = [
        verdict("ttft_p95_ms", VerdictKind.BETTER),
        verdict("ttft_p95_ms", VerdictKind.WORSE, cls="long"),
        verdict("ttft_p95_ms", VerdictKind.BETTER, cls="short"),
    ]
    said = said_of(row(diverging=False), variant(diverging=False), verdicts)
    assert "p95 TTFT of long worse" in said
    assert "short" not in said


def test_that_what_moved_besides_the_control_is_said_with_the_comparison() -> None:
    said = said_of(row(), variant(moved="num_gpu_blocks 1200 → 1100"), [])
    assert said.startswith("max_num_seqs 16 → 32 (also moved: num_gpu_blocks 1200 → 1100): ")


def test_that_nothing_is_concluded_from_an_invalid_or_a_failed_run() -> None:
    assert said_of(row(), variant(valid=False), []).endswith("no conclusion, because a run is invalid.")
    assert said_of(row(), variant(completed_rps=None), []).endswith("no conclusion, because a run failed.")


def test_that_one_run_each_asks_for_repeats_and_promises_no_minutes() -> None:
    verdicts = [verdict("itl_p95_ms", VerdictKind.CANT_TELL)]
    said = said_of(row(diverging=False), variant(diverging=False), verdicts)
    assert "p95 ITL 12 ms → 12 ms (repeat to know)" in said
    assert said.endswith("; a single run each.")


def text(said: str) -> Message:
    return message("results.other_reason", text=said)


def candidate(run: str, *against: str, met: bool = True, **rest: Any) -> Candidate:
    check = Check(objective="ttft_p95_ms", cls=None, limit=1000.0, value=680.0, met=met)
    fields = {
        "run": run,
        "accepted_rps": 10.0,
        "cost": None,
        "checks": [check],
        "against": list(map(text, against)),
    }
    return Candidate(**fields | rest)


def test_that_the_choice_names_the_runners_up_and_why_not_the_others() -> None:
    choice = Ranking(
        recommended=candidate("b"), others=[candidate("c"), candidate("a", "too slow")], by=text("accepted")
    )
    first, second, third = advice_on(choice)
    assert first == "Meets all objectives, best by accepted: b (ttft_p95_ms 680 ≤ 1,000)."
    assert second == "Runners-up: c."
    assert third == "Not: a (too slow)."


def test_that_a_cost_has_its_currency() -> None:
    choice = Ranking(recommended=candidate("b", cost=0.0694, currency="EUR"), others=[], by=text("cost"))
    said = "ttft_p95_ms 680 ≤ 1,000, 0.0694 EUR per 1,000 accepted responses"
    assert advice_on(choice) == [f"Meets all objectives, best by cost: b ({said})."]


def test_that_the_choice_names_what_is_rejected_and_what_is_not_judged() -> None:
    best = candidate(
        "b",
        rejects=text("rejects 3.4 %"),
        not_judged=[text("ttft_p95_ms not judged: class x has 4 requests")],
    )
    choice = Ranking(
        recommended=best, others=[candidate("c", rejects=text("rejects 2.0 %"))], by=text("accepted")
    )
    assert advice_on(choice) == [
        "Meets all objectives, best by accepted: b (ttft_p95_ms 680 ≤ 1,000); it rejects 3.4 %.",
        "b: ttft_p95_ms not judged: class x has 4 requests.",
        "Runners-up: c (rejects 2.0 %).",
    ]


def test_that_meeting_all_objectives_is_told_with_how_few_were_accepted() -> None:
    """Limits on percentiles leave room for requests that were answered too late one by one."""
    few, most = candidate("b", accepted_share=0.853), candidate("b", accepted_share=0.97)
    told = [advice_on(Ranking(recommended=each, others=[], by=text("accepted"))) for each in (few, most)]
    assert told[0][1:] == ["b: 85 % of the requests accepted."]
    assert told[1][1:] == []


def test_that_many_rejections_without_an_objective_are_left_to_the_reader() -> None:
    held = candidate("b", "meets the latency objectives, but rejects 68 %", undecided=True)
    choice = Ranking(recommended=None, others=[held, candidate("a", "too slow")], by=text("accepted"))
    assert advice_on(choice) == [
        "No configuration is recommended: b meets the latency objectives, but rejects 68 %.",
        "Not: a (too slow).",
    ]


def test_that_none_is_recommended_where_none_meets_the_objectives_or_none_is_stated() -> None:
    none = Ranking(recommended=None, others=[candidate("a", "too slow")], by=text("accepted"))
    assert advice_on(none) == ["No configuration meets all objectives: a: too slow."]
    unstated = Candidate(run="a", accepted_rps=1.0, cost=None, checks=[], against=[])
    assert (
        "no objective is given" in advice_on(Ranking(recommended=unstated, others=[], by=text("accepted")))[0]
    )
