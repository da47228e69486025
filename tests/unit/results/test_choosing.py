"""Which configuration is recommended, and why the others are not."""

import pytest

from tests.unit.results.making import request, texts, unanswered
from tests.unit.results.test_compare import add, climbing, mixed, records, star
from workbench.base import short_number
from workbench.experiments.findings.summary import recommend
from workbench.results import (
    Limits,
    Objectives,
    Outcome,
    ServerDelta,
    VerdictKind,
    choose,
    compare,
)
from workbench.results.exports.decision_page import answer, evidence, would_change

PRICE = {"unit_price": 3.6, "price_basis": "on_demand", "currency": "EUR"}


def test_that_a_tie_by_cost_is_broken_by_the_margin_to_the_objectives_and_says_so(bench):
    objectives = Objectives(ttft_p95_ms=200)
    star(bench, (8, 0.3), (64, 0.05), repeats=1, objectives=objectives, facts=PRICE)
    choice = choose(bench)
    assert str(choice.by) == "margin to the objectives (cost is equal within 1 %)"
    assert choice.recommended.run == "seats 64"
    assert [other.run for other in choice.others] == ["baseline", "seats 8"]
    assert choice.others[0].against == []
    assert str(choice.others[1].against[0]).startswith("ttft_p95_ms 4")
    assert str(choice.others[1].against[0]).endswith("> 200")


def test_a_tie_without_objectives_is_broken_by_the_ttft(bench):
    star(bench, (8, 0.3), (64, 0.05), repeats=1, facts=PRICE)
    choice = choose(bench)
    assert str(choice.by).startswith("p95 TTFT")
    assert choice.recommended.run == "seats 64"


def test_that_without_a_price_accepted_work_decides(bench):
    star(bench, (8, 0.3), repeats=1, objectives=Objectives(ttft_p95_ms=150))
    assert str(choose(bench).by) == "accepted responses a second (no price is stated)"


def test_that_the_cheapest_configuration_that_meets_all_objectives_is_recommended(bench):
    objectives = Objectives(ttft_p95_ms=200)
    experiment = bench.add_experiment("x", "", objectives=objectives, facts=PRICE)
    for value, ttft, n in ((8, 0.1, 400), (64, 0.05, 360)):
        add(bench, experiment, f"seats {value}", records(ttft, n=n), control="max_num_seqs", value=value,
            objectives=objectives)  # fmt: skip
    choice = choose(bench)
    assert str(choice.by) == "cost per 1,000 accepted responses"
    best = choice.recommended
    assert (best.run, best.currency) == ("seats 8", "EUR")
    assert str(best.price()) == f"{short_number(best.cost)} EUR per 1,000 accepted responses"
    assert best.cost < 0.95 * choice.others[0].cost


def test_that_none_is_recommended_where_none_meets_the_objectives(bench):
    star(bench, (8, 0.3), repeats=1, objectives=Objectives(ttft_p95_ms=1))
    choice = choose(bench)
    assert choice.recommended is None
    assert len(choice.others) == 2


def test_that_every_class_must_meet_the_objectives(bench):
    objectives = Objectives(ttft_p95_ms=1000, classes={"chat": Limits(ttft_p95_ms=50)})
    star(bench, repeats=1, objectives=objectives)
    assert "ttft_p95_ms of chat" in str(choose(bench).others[0].against[0])


def test_that_an_objective_that_was_not_measured_keeps_from_recommending(bench):
    star(bench, repeats=1, objectives=Objectives(queue_p95_ms=100, preemptions=0))
    assert texts(choose(bench).others[0].against) == [
        "queue_p95_ms not known (limit 100)",
        "preemptions not known (limit 0)",
    ]


def test_that_a_class_with_too_few_requests_is_named_and_does_not_disqualify(bench):
    objectives = Objectives(ttft_p95_ms=500, itl_p95_ms=50)
    add(bench, bench.add_experiment("x", "", objectives=objectives), "baseline", mixed(1))
    best = choose(bench).recommended
    assert best.run == "baseline"
    assert best.against == []
    assert texts(best.not_judged) == [
        "ttft_p95_ms, itl_p95_ms not judged: class rare has 4 requests, 72 are needed for a p95"
    ]


def test_that_a_run_with_too_few_requests_altogether_is_not_recommended(bench):
    objectives = Objectives(ttft_p95_ms=500)
    add(bench, bench.add_experiment("x", "", objectives=objectives), "baseline", records(0.1, n=40))
    assert texts(choose(bench).others[0].against) == [
        "ttft_p95_ms not known (limit 500)",
        "not known whether the load is past capacity: 40 requests; about 80 are needed",
    ]


def abandoned(answered, n=400):
    """Requests of which only the first were answered, the rest still open when the drain ends."""
    return [*records(0.1, n=answered), *(unanswered(i, due=i / 10) for i in range(answered, n))]


@pytest.mark.parametrize("answered", [20, 200, 370])
def test_that_a_run_whose_requests_stay_unanswered_is_past_capacity_and_never_recommended(bench, answered):
    objectives = Objectives(itl_p95_ms=500, error_rate=1.0)
    experiment = bench.add_experiment("x", "", objectives=objectives)
    add(bench, experiment, "baseline", abandoned(answered))
    found = choose(bench)
    assert found.recommended is None
    assert str(found.others[0].against[0]) == (
        f"{400 - answered} of 400 requests unanswered after the drain: the load is past its capacity"
    )


def test_that_many_requests_at_one_moment_say_nothing_of_capacity(bench):
    objectives = Objectives(error_rate=0.1)
    experiment = bench.add_experiment("x", "", objectives=objectives)
    add(bench, experiment, "baseline", [request(i, due=0.0) for i in range(200)])
    said = "not known whether the load is past capacity: TTFT's drift is unknown"
    assert texts(choose(bench).others[0].against) == [said]


def test_that_too_few_requests_to_know_capacity_are_enough_in_a_closed_loop(bench):
    objectives = Objectives(error_rate=0.1)
    experiment = bench.add_experiment("x", "", objectives=objectives)
    add(bench, experiment, "baseline", records(0.1, n=40), rate=None, concurrency=4)
    assert choose(bench).recommended.run == "baseline"


def test_that_a_known_violation_of_a_class_disqualifies(bench):
    objectives = Objectives(ttft_p95_ms=500, classes={"rare": Limits(error_rate=0.1)})
    failed = mixed(1, outcome=Outcome.FAILED)
    add(bench, bench.add_experiment("x", "", objectives=objectives), "baseline", failed)
    assert texts(choose(bench).others[0].against) == ["error_rate of rare 1 > 0.1"]


def test_that_no_more_than_the_three_worst_reasons_are_given(bench):
    classes = {"chat": Limits(ttft_p95_ms=1, e2e_p95_ms=10)}
    objectives = Objectives(ttft_p95_ms=100, itl_p95_ms=1, e2e_p95_ms=90, preemptions=0, classes=classes)
    add(bench, bench.add_experiment("x", "", objectives=objectives), "baseline", records(0.1))
    *shown, more = texts(choose(bench).others[0].against)
    assert [reason.split(" ")[0] for reason in shown] == ["ttft_p95_ms", "e2e_p95_ms", "itl_p95_ms"]
    assert shown[0].startswith("ttft_p95_ms of chat")
    assert more == "and 4 more"


def rejecting(count):
    requests = records(0.1)
    for each in requests[:count]:
        each.outcome = Outcome.REJECTED
        each.first_token = each.last_token = None
    return requests


def test_that_a_recommendation_names_what_it_rejects(bench):
    objectives = Objectives(ttft_p95_ms=500)
    add(bench, bench.add_experiment("x", "", objectives=objectives), "baseline", rejecting(12))
    best = choose(bench).recommended
    assert (best.against, str(best.rejects)) == ([], "rejects 3.0 %")


def test_that_many_rejections_without_an_error_rate_objective_are_never_plainly_best(bench):
    objectives = Objectives(ttft_p95_ms=500)
    experiment = bench.add_experiment("x", "", objectives=objectives, facts=PRICE)
    add(bench, experiment, "seats 8", rejecting(272), control="max_num_seqs", value=8)
    choice = choose(bench)
    assert choice.recommended is None
    assert choice.others[0].undecided
    assert texts(choice.others[0].against) == [
        "meets the latency objectives, but rejects 68 %: state an error_rate objective to decide"
    ]


def test_that_a_stated_error_rate_decides_about_rejections(bench):
    objectives = Objectives(ttft_p95_ms=500, error_rate=0.7)
    add(bench, bench.add_experiment("x", "", objectives=objectives), "baseline", rejecting(272))
    assert str(choose(bench).recommended.rejects) == "rejects 68 %"


def test_that_invalid_and_diverging_runs_are_never_recommended(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", climbing(0.6), server=ServerDelta(restarted=True))
    against = texts(choose(bench).others[0].against)
    assert against[0] == "diverging, TTFT +0.6 s per s: the load is past its capacity"
    assert against[1].startswith("invalid: server restarted")


def test_that_an_empty_bench_recommends_nothing(bench):
    assert choose(bench).recommended is None
    assert compare(bench) == []


def test_that_inter_token_latency_is_compared_past_capacity_too(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", climbing(0.5))
    add(bench, experiment, "seats 8", climbing(0.6), control="max_num_seqs", value=8)
    assert {verdict.figure for verdict in compare(bench) if verdict.difference} == {"itl_p95_ms"}


def test_that_an_invalid_run_supports_no_verdict(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", records(0.1))
    add(
        bench,
        experiment,
        "seats 8",
        records(5.0),
        control="max_num_seqs",
        value=8,
        server=ServerDelta(restarted=True),
    )
    verdict = compare(bench)[0]
    assert (verdict.word, str(verdict.note)) == (VerdictKind.CANT_TELL, "no run of the variant is valid")


def test_that_a_single_class_is_checked_once(bench):
    star(bench, repeats=1, objectives=Objectives(ttft_p95_ms=50))
    assert len(choose(bench).others[0].checks) == 1


def test_that_a_change_which_can_alter_answers_is_recommended_with_that_said(bench):
    experiment = bench.add_experiment("x", "", objectives=Objectives(ttft_p95_ms=500))
    facts = {"quality_check": "not checked: kv_cache_dtype can change answers"}
    add(bench, experiment, "fp8", records(0.1), control="kv_cache_dtype", value="fp8", facts=facts)
    assert texts(choose(bench).recommended.not_judged) == [
        "quality not checked: kv_cache_dtype can change answers"
    ]


def test_that_a_lone_valid_configuration_is_no_answer_and_never_first_by_anything(bench):
    """The baseline had no valid run: nobody knows whether the other one is better."""
    objectives = Objectives(ttft_p95_ms=500)
    experiment = bench.add_experiment("x", "", objectives=objectives, facts=PRICE)
    add(bench, experiment, "baseline", records(0.1), server=ServerDelta(restarted=True))
    add(bench, experiment, "seats 64", records(0.1), control="max_num_seqs", value=64)
    choice = choose(bench)
    assert (choice.recommended.run, choice.compared) == ("seats 64", False)
    said = str(answer(choice, bench.runs()))
    assert said.startswith("Run “seats 64”: ")
    assert "No answer yet: it is the only valid configuration, so nothing was compared." in said
    assert str(recommend(choice)[0]).startswith("Meets all objectives, the only valid configuration")
    assert "first by" not in said
    assert "A higher rate than 10 requests a second" in str(would_change(choice, bench.runs(), [])[0])


def test_that_objectives_met_overall_are_not_said_to_be_met_by_classes_that_nobody_could_judge(bench):
    objectives = Objectives(ttft_p95_ms=500)
    experiment = bench.add_experiment("x", "", objectives=objectives)
    few = [request(i, due=i / 10, cls=f"c{i % 20}") for i in range(400)]
    add(bench, experiment, "baseline", few)
    add(bench, experiment, "seats 64", few, control="max_num_seqs", value=64)
    choice = choose(bench)
    assert str(choice.recommended.met()) == "all objectives overall; classes not judged"
    assert "It meets all objectives overall; classes not judged." in str(answer(choice, bench.runs()))


def test_that_of_classes_of_which_some_could_be_judged_just_these_are_said_to_meet_the_objectives(bench):
    add(bench, bench.add_experiment("x", "", objectives=Objectives(ttft_p95_ms=500)), "baseline", mixed(1))
    said = str(choose(bench).recommended.met())
    assert said == "all objectives overall and in the classes that could be judged"


def test_that_what_cannot_be_told_yet_stands_on_the_sheet_once(bench):
    star(bench, (64, 0.09), repeats=1, objectives=Objectives(ttft_p95_ms=500))
    choice, verdicts = choose(bench), compare(bench)
    mine = [
        each
        for each in verdicts
        if each.word == VerdictKind.CANT_TELL and each.variant == choice.recommended.run
    ]
    assert mine
    lines = texts([*evidence(choice, bench.runs(), verdicts), *would_change(choice, bench.runs(), verdicts)])
    for sentence in {str(verdict.sentence()) for verdict in mine}:
        assert sum(line.endswith(sentence) for line in lines) == 1
