import numpy as np
import pytest

from tests.unit.results.making import request, unanswered
from workbench.results import (
    BenchFile,
    Limits,
    Objectives,
    Outcome,
    RunFrame,
    ServerDelta,
    Word,
    choose,
    compare,
    summarise,
)
from workbench.results.figures.columns import columns_from_records
from workbench.results.statistics.series import observed
from workbench.results.wording import short

FRAME = RunFrame(length_s=40.0, ended=45.0)


@pytest.fixture
def bench(tmp_path):
    file = BenchFile.create(tmp_path / "b.bench")
    yield file
    file.close()


def records(ttft, seed=0, n=400, **changes):
    rng = np.random.default_rng(seed)
    return [
        request(i, due=i / 10, ttft=ttft * float(np.exp(0.2 * rng.standard_normal())), **changes)
        for i in range(n)
    ]


def add(
    bench, experiment, label, requests, *, control=None, value=None, rate=10.0, concurrency=None,
    objectives=None, server=None, facts=None,
):  # fmt: skip
    config = {"max_num_seqs": 256} | ({control: value} if control else {})
    run = bench.add_run(
        experiment, label, control=control, value=value, config=config, rate=rate,
        concurrency=concurrency, trace_sha256="t", schedule_sha256="s", frame=FRAME, facts=facts or {},
    )  # fmt: skip
    bench.write_requests(run, requests)
    bench.finish_run(run, "done", summarise(requests, FRAME, objectives=objectives, server=server))


def star(bench, *variants, repeats=5, objectives=None, facts=None):
    """A baseline of 100 ms and variants {value: TTFT}, each repeated."""
    experiment = bench.add_experiment("x", "", objectives=objectives, facts=facts)
    for repeat in range(repeats):
        add(bench, experiment, f"baseline #{repeat}", records(0.1, repeat), objectives=objectives)
        for value, ttft in variants:
            requests = records(ttft, 50 + repeat)
            add(bench, experiment, f"seats {value} #{repeat}", requests, control="max_num_seqs", value=value,
                objectives=objectives)  # fmt: skip
    return experiment


def words(bench, figure="ttft_p95_ms"):
    return {
        (verdict.variant, verdict.cls): verdict.word for verdict in compare(bench) if verdict.figure == figure
    }


def test_that_each_variant_is_judged_against_the_baseline(bench):
    star(bench, (8, 0.3), (64, 0.05), (128, 0.1))
    assert words(bench) == {
        ("seats 8", None): Word.WORSE,
        ("seats 64", None): Word.BETTER,
        ("seats 128", None): Word.NO_DIFFERENCE,
    }


def test_that_a_difference_that_the_client_can_not_resolve_is_said_to_be_its_own(bench):
    star(bench, (8, 0.3), (64, 0.05), facts={"client_floor_ttft_ms": 100.0, "client_floor_itl_ms": 0.1})
    assert words(bench) == {("seats 8", None): Word.WORSE, ("seats 64", None): Word.CANT_TELL}
    verdict = next(each for each in compare(bench) if each.variant == "seats 64")
    assert verdict.sentence().endswith("; below the 100 ms that this client can resolve)")


def test_that_chance_is_adjusted_over_all_values_and_figures(bench):
    star(bench, (8, 0.3), (64, 0.1))
    verdicts = compare(bench)
    assert len(verdicts) == 6
    assert all(verdict.p_adjusted >= verdict.difference.p_value for verdict in verdicts)


def test_that_only_figures_with_an_objective_are_judged_where_there_are_some(bench):
    star(bench, (8, 0.3), repeats=1, objectives=Objectives(ttft_p95_ms=500, error_rate=0.01))
    assert {verdict.figure for verdict in compare(bench)} == {"ttft_p95_ms", "error_rate"}


def test_that_one_run_each_says_that_restarts_are_assumed(bench):
    star(bench, (8, 0.11), repeats=1)
    verdict = compare(bench)[0]
    assert verdict.word == Word.CANT_TELL
    assert "restart" in verdict.note
    assert verdict.minutes_more is None
    assert verdict.sentence().startswith("ttft_p95_ms: one run each: repeat to know (1")
    assert "interval" not in verdict.sentence()


def test_that_two_runs_each_say_how_much_longer_it_would_take(bench):
    star(bench, (8, 0.11), repeats=2)
    verdict = compare(bench)[0]
    assert verdict.minutes_more > 0
    assert verdict.sentence().startswith("ttft_p95_ms: can't tell yet; about ")


def test_that_classes_are_judged_apart(bench):
    experiment = bench.add_experiment("x", "")
    for repeat in range(5):
        chat, doc = records(0.1, repeat, n=200, cls="chat"), records(0.1, 9 + repeat, n=200, cls="doc")
        slow = records(0.3, 20 + repeat, n=200, cls="doc")
        for number, request_ in enumerate([*chat, *doc]):
            request_.index = number
        for number, request_ in enumerate(slow):
            request_.index = 200 + number
        add(bench, experiment, f"baseline #{repeat}", [*chat, *doc])
        add(bench, experiment, f"seats 8 #{repeat}", [*chat, *slow], control="max_num_seqs", value=8)
    found = words(bench)
    assert found["seats 8", "doc"] == Word.WORSE
    assert found["seats 8", "chat"] == Word.NO_DIFFERENCE


def mixed(seed, rare=4, ttft=0.1, **changes):
    """Requests of chat, and a few of another class."""
    requests = records(ttft, seed, n=400, cls="chat")
    for each in requests[:rare]:
        each.cls = "rare"
        for name, value in changes.items():
            setattr(each, name, value)
    return requests


def test_that_a_class_with_too_few_requests_for_a_p95_gets_no_interval(bench):
    experiment = bench.add_experiment("x", "")
    for repeat in range(2):
        add(bench, experiment, f"baseline #{repeat}", mixed(repeat))
        add(
            bench,
            experiment,
            f"seats 8 #{repeat}",
            mixed(9 + repeat, ttft=0.3),
            control="max_num_seqs",
            value=8,
        )
    of_rare = [verdict for verdict in compare(bench) if verdict.cls == "rare"]
    assert {verdict.difference for verdict in of_rare} == {None}
    assert of_rare[0].sentence() == (
        "ttft_p95_ms of rare: can't tell yet (class rare has 4 requests, 72 are needed for a p95)"
    )


def test_that_without_a_baseline_at_the_same_rate_nothing_is_judged(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", records(0.1), rate=2.0)
    add(bench, experiment, "seats 8", records(0.3), control="max_num_seqs", value=8, rate=4.0)
    assert compare(bench) == []


def climbing(slope):
    return [request(i, due=i / 10, ttft=0.1 + slope * i / 10) for i in range(400)]


def test_that_a_diverging_variant_is_worse_by_its_slope_not_by_a_percentile(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", records(0.1))
    add(bench, experiment, "seats 8", climbing(0.6), control="max_num_seqs", value=8)
    verdict = compare(bench)[0]
    assert (verdict.word, verdict.difference) == (Word.WORSE, None)
    assert verdict.note == "TTFT climbs by 0.6 s a second; the baseline is stable"


def test_that_a_class_with_too_few_requests_is_not_worse_in_itl_because_ttft_climbs(bench):
    slow = climbing(0.6)
    for each in slow[:4]:
        each.cls = "rare"
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", mixed(1))
    add(bench, experiment, "seats 8", slow, control="max_num_seqs", value=8)
    found = words(bench, "itl_p95_ms")
    assert found["seats 8", "rare"] == Word.CANT_TELL
    assert words(bench)["seats 8", "rare"] == Word.WORSE


def test_that_two_diverging_runs_can_not_be_compared(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", climbing(0.5))
    add(bench, experiment, "seats 8", climbing(0.6), control="max_num_seqs", value=8)
    assert compare(bench)[0].word == Word.CANT_TELL


def test_that_the_series_are_the_summarys_own(bench):
    open_requests = [unanswered(400 + i, due=41.0 + i / 10) for i in range(10)]
    requests = [*records(0.1), *open_requests]
    figures = summarise(requests, FRAME)
    columns = columns_from_records(requests)
    assert observed(columns, "ttft_p95_ms", FRAME).level(0.95) == pytest.approx(figures.ttft_ms.p95)
    assert observed(columns, "e2e_p95_ms", FRAME).level(0.95) == pytest.approx(figures.e2e_ms.p95)
    assert observed(columns, "itl_p95_ms", FRAME).level(0.95) == pytest.approx(figures.itl_ms.p95)
    assert observed(columns, "error_rate", FRAME).level(None) == pytest.approx(figures.error_rate)


PRICE = {"unit_price": 3.6, "price_basis": "on_demand", "currency": "EUR"}


def test_that_a_tie_by_cost_is_broken_by_the_margin_to_the_objectives_and_says_so(bench):
    objectives = Objectives(ttft_p95_ms=200)
    star(bench, (8, 0.3), (64, 0.05), repeats=1, objectives=objectives, facts=PRICE)
    choice = choose(bench)
    assert choice.by == "margin to the objectives (cost is equal within 1 %)"
    assert choice.recommended.run == "seats 64"
    assert [other.run for other in choice.others] == ["baseline", "seats 8"]
    assert choice.others[0].against == []
    assert choice.others[1].against[0].startswith("ttft_p95_ms 4")
    assert choice.others[1].against[0].endswith("> 200")


def test_that_without_a_price_accepted_work_decides(bench):
    star(bench, (8, 0.3), repeats=1, objectives=Objectives(ttft_p95_ms=150))
    assert choose(bench).by == "accepted responses a second (no price is stated)"


def test_that_the_cheapest_configuration_that_meets_all_objectives_is_recommended(bench):
    objectives = Objectives(ttft_p95_ms=200)
    experiment = bench.add_experiment("x", "", objectives=objectives, facts=PRICE)
    for value, ttft, n in ((8, 0.1, 400), (64, 0.05, 360)):
        add(bench, experiment, f"seats {value}", records(ttft, n=n), control="max_num_seqs", value=value,
            objectives=objectives)  # fmt: skip
    choice = choose(bench)
    assert choice.by == "cost per 1,000 accepted responses"
    best = choice.recommended
    assert (best.run, best.currency) == ("seats 8", "EUR")
    assert best.price() == f"{short(best.cost)} EUR per 1,000 accepted responses"
    assert best.cost < 0.95 * choice.others[0].cost


def test_that_none_is_recommended_where_none_meets_the_objectives(bench):
    star(bench, (8, 0.3), repeats=1, objectives=Objectives(ttft_p95_ms=1))
    choice = choose(bench)
    assert choice.recommended is None
    assert len(choice.others) == 2


def test_that_every_class_must_meet_the_objectives(bench):
    objectives = Objectives(ttft_p95_ms=1000, classes={"chat": Limits(ttft_p95_ms=50)})
    star(bench, repeats=1, objectives=objectives)
    assert "ttft_p95_ms of chat" in choose(bench).others[0].against[0]


def test_that_an_objective_that_was_not_measured_keeps_from_recommending(bench):
    star(bench, repeats=1, objectives=Objectives(queue_p95_ms=100, preemptions=0))
    assert choose(bench).others[0].against == [
        "queue_p95_ms not known (limit 100)",
        "preemptions not known (limit 0)",
    ]


def test_that_a_class_with_too_few_requests_is_named_and_does_not_disqualify(bench):
    objectives = Objectives(ttft_p95_ms=500, itl_p95_ms=50)
    add(bench, bench.add_experiment("x", "", objectives=objectives), "baseline", mixed(1))
    best = choose(bench).recommended
    assert best.run == "baseline"
    assert best.against == []
    assert best.not_judged == [
        "ttft_p95_ms, itl_p95_ms not judged: class rare has 4 requests, 72 are needed for a p95"
    ]


def test_that_a_run_with_too_few_requests_altogether_is_not_recommended(bench):
    objectives = Objectives(ttft_p95_ms=500)
    add(bench, bench.add_experiment("x", "", objectives=objectives), "baseline", records(0.1, n=40))
    assert choose(bench).others[0].against == [
        "ttft_p95_ms not known (limit 500)",
        "not known whether the load is past capacity: 40 requests, about 80 tell",
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
    assert found.others[0].against[0] == (
        f"{400 - answered} of 400 requests unanswered after the drain: the load is past its capacity"
    )


def test_that_many_requests_at_one_moment_say_nothing_of_capacity(bench):
    objectives = Objectives(error_rate=0.1)
    experiment = bench.add_experiment("x", "", objectives=objectives)
    add(bench, experiment, "baseline", [request(i, due=0.0) for i in range(200)])
    said = "not known whether the load is past capacity: TTFT's drift wasn't told"
    assert choose(bench).others[0].against == [said]


def test_that_too_few_requests_to_know_capacity_are_enough_in_a_closed_loop(bench):
    objectives = Objectives(error_rate=0.1)
    experiment = bench.add_experiment("x", "", objectives=objectives)
    add(bench, experiment, "baseline", records(0.1, n=40), rate=None, concurrency=4)
    assert choose(bench).recommended.run == "baseline"


def test_that_a_known_violation_of_a_class_disqualifies(bench):
    objectives = Objectives(ttft_p95_ms=500, classes={"rare": Limits(error_rate=0.1)})
    failed = mixed(1, outcome=Outcome.FAILED)
    add(bench, bench.add_experiment("x", "", objectives=objectives), "baseline", failed)
    assert choose(bench).others[0].against == ["error_rate of rare 1 > 0.1"]


def test_that_no_more_than_the_three_worst_reasons_are_given(bench):
    classes = {"chat": Limits(ttft_p95_ms=1, e2e_p95_ms=10)}
    objectives = Objectives(ttft_p95_ms=100, itl_p95_ms=1, e2e_p95_ms=90, preemptions=0, classes=classes)
    add(bench, bench.add_experiment("x", "", objectives=objectives), "baseline", records(0.1))
    *shown, more = choose(bench).others[0].against
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
    assert (best.against, best.rejects) == ([], "rejects 3.0 %")


def test_that_many_rejections_without_an_error_rate_objective_are_never_plainly_best(bench):
    objectives = Objectives(ttft_p95_ms=500)
    experiment = bench.add_experiment("x", "", objectives=objectives, facts=PRICE)
    add(bench, experiment, "seats 8", rejecting(272), control="max_num_seqs", value=8)
    choice = choose(bench)
    assert choice.recommended is None
    assert choice.others[0].undecided
    assert choice.others[0].against == [
        "meets the latency objectives, but rejects 68 %: state an error_rate objective to decide"
    ]


def test_that_a_stated_error_rate_decides_about_rejections(bench):
    objectives = Objectives(ttft_p95_ms=500, error_rate=0.7)
    add(bench, bench.add_experiment("x", "", objectives=objectives), "baseline", rejecting(272))
    assert choose(bench).recommended.rejects == "rejects 68 %"


def test_that_invalid_and_diverging_runs_are_never_recommended(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", climbing(0.6), server=ServerDelta(restarted=True))
    against = choose(bench).others[0].against
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
    assert (verdict.word, verdict.note) == (Word.CANT_TELL, "no run of the variant is valid")


def test_that_a_single_class_is_checked_once(bench):
    star(bench, repeats=1, objectives=Objectives(ttft_p95_ms=50))
    assert len(choose(bench).others[0].checks) == 1


def test_that_a_change_which_can_alter_answers_is_recommended_with_that_said(bench):
    experiment = bench.add_experiment("x", "", objectives=Objectives(ttft_p95_ms=500))
    facts = {"quality_check": "not checked: kv_cache_dtype can change answers"}
    add(bench, experiment, "fp8", records(0.1), control="kv_cache_dtype", value="fp8", facts=facts)
    assert choose(bench).recommended.not_judged == ["quality not checked: kv_cache_dtype can change answers"]
