"""A plan of kind `search` runs the values that may gain most, and reports its pick."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests.unit.experiments.test_experiment import GOOD, read
from workbench.base import Refusal
from workbench.experiments import make_plan
from workbench.experiments.findings.search import findings_of_steps
from workbench.experiments.plan.judged_steps import JudgedStep
from workbench.experiments.plan.plan import Run
from workbench.experiments.plan.run_queue import RunQueue
from workbench.experiments.plan.search import choose_next

SEARCH = 'kind = "search"\n' + GOOD.replace("[32, 64]", "[4, 8, 32, 64, 128, 256, 512]")


def judged(run: Run, accepted: float, **cells: Any) -> JudgedStep:
    value = run.configuration.value
    known = {
        "accepted_rps": accepted, "accepted_share": accepted / 12, "offered_rps": 12.0, "duration_s": 30.0,
        "status": "valid", "valid": True, "running_max": value or 16,
        "start_utc": "2026-01-01T00:00:00Z", "end_utc": "2026-01-01T00:00:30Z",
    }  # fmt: skip
    return JudgedStep(
        run=run.row, control=run.configuration.control, value=value, rate=run.rate, concurrency=None,
        sustained=False, cells=known | cells,
    )  # fmt: skip


def carry_out(text: str, accepted: Callable[[int], float]) -> tuple[list[int], list[str], list[JudgedStep]]:
    """Run the queue; return the values run, the kinds of notes and the judged rows."""
    run_queue = RunQueue(make_plan([read(text)]))
    seen: list[JudgedStep] = []
    values, notes = [], []
    while (run := run_queue.next()) is not None:
        value = run.configuration.value or 16
        values.append(value)
        seen.append(judged(run, accepted(value)))
        notes += run_queue.update(run, seen)
    return values, [note.kind for note in notes], seen


def hill(value: int) -> float:
    return 8.0 / (1 + abs(64 - value) / 64)


def test_a_search_runs_the_baseline_first_and_leaves_values_out() -> None:
    values, notes, _ = carry_out(SEARCH, hill)
    assert values[0] == 16
    assert 64 in values
    assert len(values) < 8
    assert notes[-1] == "experiments.search_left_out"


def test_the_minutes_end_a_search() -> None:
    values, _, seen = carry_out(f"{SEARCH}[search]\nminutes = 1.5\n", hill)
    assert len(values) == 3
    experiment = read(f"{SEARCH}[search]\nminutes = 1.5\n")
    end = choose_next(make_plan([experiment]), experiment, seen)
    assert {each.reason.kind for each in end.untried} == {"advice.search_out_of_time"}


def test_an_invalid_run_gives_no_figure_and_is_not_repeated() -> None:
    experiment = read(SEARCH)
    plan = make_plan([experiment])
    steps = [
        judged(run, 9.0 if run.configuration.value else 4.0, valid=run.configuration.value is None)
        for run in plan.runs
    ]
    end = choose_next(plan, experiment, steps)
    assert end.value is None
    assert end.best is not None
    assert end.best.value == 16


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (("rates = [12.0]", "rates = [12.0, 14.0]"), "experiments.one_rate_only"),
        (("[objectives]", "[repeat]\nn = 2\n[objectives]"), "experiments.not_with_kind"),
        (("[objectives]", "[search]\ngain = 0.0\n[objectives]"), "base.not_above"),
        (("[objectives]", "[search]\nminutes = -1.0\n[objectives]"), "base.not_above"),
        (('kind = "search"', "[search]\ngain = 0.1"), "experiments.table_of_other_kind"),
    ],
)
def test_a_search_that_can_not_be_is_refused(change: tuple[str, str], kind: str) -> None:
    with pytest.raises(Refusal) as refused:
        read(SEARCH.replace(*change) if change[0] != 'kind = "search"' else GOOD + change[1])
    assert refused.value.kind == kind


def test_the_table_is_read_with_its_defaults() -> None:
    experiment = read(f"{SEARCH}[search]\nminutes = 3\n")
    assert experiment.search is not None
    assert msgspec.structs.astuple(experiment.search) == (0.02, 3.0, False)


def test_the_report_names_the_pick_and_the_values_without_a_run() -> None:
    experiment = read(SEARCH)
    _, _, seen = carry_out(SEARCH, hill)
    found = findings_of_steps([experiment], seen, {})
    pick = found[0]
    assert pick.kind == "experiments.search_pick"
    assert (pick.values["name"], pick.values["value"]) == ("max_num_seqs", "64")
    left = [each for each in found if each.kind == "experiments.search_left_out"]
    named = {value for each in left for value in as_list(each.values["values"])}
    run = {str(step.value) for step in seen if step.control is not None}
    assert named == {str(value) for value in experiment.tested.values} - run


def as_list(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


def test_with_one_control_only_the_most_promising_one_is_searched() -> None:
    one = f"{SEARCH}[search]\none_control = true\n"
    other = one.replace("Seats on chat", "Budget").replace(
        'name = "max_num_seqs"', 'name = "max_num_batched_tokens"'
    )
    other = other.replace("[4, 8, 32, 64, 128, 256, 512]", "[2048, 4096]")
    run_queue = RunQueue(make_plan([read(one), read(other)]))
    baseline = run_queue.next()
    assert baseline is not None
    predicted = {
        "max_num_seqs": {value: [1.05 * hill(16)] for value in (4, 8, 16, 32, 64, 128, 256, 512)},
        "max_num_batched_tokens": {value: [1.5 * hill(16)] for value in (2048, 4096)} | {8192: [hill(16)]},
    }
    run_queue.update(baseline, [judged(baseline, hill(16))], predicted)
    assert {run.configuration.control for run in run_queue.left} == {"max_num_batched_tokens"}


def test_with_one_control_nothing_runs_after_an_invalid_baseline() -> None:
    run_queue = RunQueue(make_plan([read(f"{SEARCH}[search]\none_control = true\n")]))
    baseline = run_queue.next()
    assert baseline is not None
    run_queue.update(baseline, [judged(baseline, 4.0, valid=False)])
    assert run_queue.left == []
