import numpy as np
import pytest

from tests.unit.results.making import request, unanswered
from workbench.results import (
    Objectives,
    RunFrame,
    VerdictKind,
    compare,
    summarize_run,
)
from workbench.results.figures.request_columns import columns_from_records
from workbench.results.statistics.figure_values import values_of_run

FRAME = RunFrame(length_s=40.0, ended=45.0)


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
    bench.finish_run(run, "done", summarize_run(requests, FRAME, objectives=objectives, server=server))


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
        ("seats 8", None): VerdictKind.WORSE,
        ("seats 64", None): VerdictKind.BETTER,
        ("seats 128", None): VerdictKind.NO_DIFFERENCE,
    }


def test_that_a_difference_that_the_client_can_not_resolve_is_said_to_be_its_own(bench):
    star(bench, (8, 0.3), (64, 0.05), facts={"client_floor_ttft_ms": 100.0, "client_floor_itl_ms": 0.1})
    assert words(bench) == {("seats 8", None): VerdictKind.WORSE, ("seats 64", None): VerdictKind.CANT_TELL}
    verdict = next(each for each in compare(bench) if each.variant == "seats 64")
    assert str(verdict.sentence()).endswith("; below the 100 ms that this client can resolve)")


def test_that_single_runs_too_say_when_their_difference_lies_below_the_clients_own_error(bench):
    star(bench, (8, 0.11), repeats=1, facts={"client_floor_ttft_ms": 100.0})
    verdict = compare(bench)[0]
    assert verdict.word == VerdictKind.CANT_TELL
    assert verdict.floor == 100.0
    assert str(verdict.sentence()).endswith("; below the 100 ms that this client can resolve)")


def test_that_no_difference_is_claimed_finer_than_the_client_resolves(bench):
    star(bench, (8, 0.1), facts={"client_floor_ttft_ms": 100.0})
    verdict = compare(bench)[0]
    assert verdict.word == VerdictKind.NO_DIFFERENCE
    assert verdict.above == 100.0


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
    assert verdict.word == VerdictKind.CANT_TELL
    assert "restart" in str(verdict.note)
    assert verdict.minutes_more is None
    assert str(verdict.sentence()).startswith("ttft_p95_ms: one run each: repeat to know (1")
    assert "interval" not in str(verdict.sentence())


def test_that_a_verdict_from_one_run_each_says_what_it_rests_on(bench):
    star(bench, (8, 3.0), repeats=1)
    verdict = compare(bench)[0]
    assert verdict.word == VerdictKind.WORSE
    said = str(verdict.sentence())
    assert said.startswith("ttft_p95_ms: worse, from one run each (1")
    assert said.endswith(
        "; the effect of a restart is assumed (25 %), not measured: 5 repeats would measure it)"
    )
    itl = next(each for each in compare(bench) if each.figure == "itl_p95_ms")
    assert "assumed (10 %)" in str(itl.note)


def test_that_few_repeats_say_that_the_spread_is_partly_assumed_and_five_that_it_is_seen(bench):
    star(bench, (8, 3.0), repeats=3)
    said = str(compare(bench)[0].sentence())
    assert said.startswith("ttft_p95_ms: worse (1")
    assert said.endswith("is partly assumed (25 %), from 3 runs each: 5 repeats would measure it)")


def test_that_a_verdict_says_what_else_moved_than_the_control(bench):
    experiment = bench.add_experiment("x", "")
    moved = {"moved": "num_gpu_blocks 1200 → 1100"}
    for repeat in range(5):
        add(bench, experiment, f"baseline #{repeat}", records(0.1, repeat))
        slow = records(0.3, 50 + repeat)
        add(bench, experiment, f"seats 8 #{repeat}", slow, control="max_num_seqs", value=8, facts=moved)
    verdict = compare(bench)[0]
    assert verdict.moved == moved["moved"]
    assert str(verdict.sentence()).endswith("); also moved: num_gpu_blocks 1200 → 1100")


def test_that_five_repeats_assume_nothing(bench):
    star(bench, (8, 3.0), repeats=5)
    verdict = compare(bench)[0]
    assert (verdict.word, verdict.note) == (VerdictKind.WORSE, None)
    assert "assumed" not in str(verdict.sentence())


def test_that_two_runs_each_say_how_much_longer_it_would_take(bench):
    star(bench, (8, 0.11), repeats=2)
    verdict = compare(bench)[0]
    assert verdict.minutes_more > 0
    assert str(verdict.sentence()).startswith("ttft_p95_ms: can't tell yet; about ")


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
    assert found["seats 8", "doc"] == VerdictKind.WORSE
    assert found["seats 8", "chat"] == VerdictKind.NO_DIFFERENCE


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
    assert str(of_rare[0].sentence()) == (
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
    assert (verdict.word, verdict.difference) == (VerdictKind.WORSE, None)
    assert str(verdict.note) == "TTFT climbs by 0.6 s a second; the baseline is stable, from one run each"


def test_that_a_class_with_too_few_requests_is_not_worse_in_itl_because_ttft_climbs(bench):
    slow = climbing(0.6)
    for each in slow[:4]:
        each.cls = "rare"
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", mixed(1))
    add(bench, experiment, "seats 8", slow, control="max_num_seqs", value=8)
    found = words(bench, "itl_p95_ms")
    assert found["seats 8", "rare"] == VerdictKind.CANT_TELL
    assert words(bench)["seats 8", "rare"] == VerdictKind.WORSE


def test_that_two_diverging_runs_can_not_be_compared(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", climbing(0.5))
    add(bench, experiment, "seats 8", climbing(0.6), control="max_num_seqs", value=8)
    assert compare(bench)[0].word == VerdictKind.CANT_TELL


def test_that_the_series_are_the_summarys_own(bench):
    open_requests = [unanswered(400 + i, due=41.0 + i / 10) for i in range(10)]
    requests = [*records(0.1), *open_requests]
    figures = summarize_run(requests, FRAME)
    columns = columns_from_records(requests)
    assert values_of_run(columns, "ttft_p95_ms", FRAME).level(0.95) == pytest.approx(figures.ttft_ms.p95)
    assert values_of_run(columns, "e2e_p95_ms", FRAME).level(0.95) == pytest.approx(figures.e2e_ms.p95)
    assert values_of_run(columns, "itl_p95_ms", FRAME).level(0.95) == pytest.approx(figures.itl_ms.p95)
    assert values_of_run(columns, "error_rate", FRAME).level(None) == pytest.approx(figures.error_rate)


def test_that_no_error_in_either_arm_leaves_as_much_possible_as_so_few_requests_do(bench):
    """None among so many is no proof of none, and nothing was there that a restart could have changed."""
    star(bench, (8, 0.1), repeats=1, objectives=Objectives(error_rate=0.01))
    (verdict,) = compare(bench)
    count = (bench.run(1).summary or {})["requests"]["scheduled"]
    assert verdict.word == VerdictKind.NO_DIFFERENCE
    assert verdict.above == pytest.approx(3.84 / (count + 3.84), rel=0.01)
    assert verdict.note is None
    assert str(verdict.sentence()).startswith("error_rate: no difference above 0.0")
