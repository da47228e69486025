"""The search for a control's best value: the plan's runs in the order of what they may gain.

A plan of kind `search` lists the baseline and all candidates. After each run, the one with the highest
expected gain in accepted requests a second comes next; the rest is left out once none is worth a run. The
same results lead to the same decisions, so that a resumed plan continues as before.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import msgspec

from workbench.advice import RunChoice, TriedValue, UntriedValue, choose_run
from workbench.base import Message, message
from workbench.controls import Value
from workbench.experiments.plan.judged_steps import JudgedStep
from workbench.experiments.plan.plan import RESTART_S, Plan, expected_run_s
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import Search
from workbench.results import BenchFile

OBJECTIVE = "accepted_rps"
"""Column of the scorecard that a search maximizes. At a given price it is also the cheapest response."""
_SLOTS = ("max_num_seqs", "max_num_active_seqs")
"""Limits that hold nothing back in a run whose largest number of running requests stays below them."""

Predicted = Mapping[Value, Sequence[float]]
"""Accepted requests a second by value, as the twin predicts them in several cases."""
_KEY = "search_predictions"
_EXPECTED_KEY = "search_expected"


def store_predictions(bench: BenchFile, predicted: Mapping[str, Predicted]) -> None:
    """Keep the latest predictions, by control, in the file: the report repeats the decisions."""
    content = {name: list(found.items()) for name, found in predicted.items()}
    bench.set_meta(_KEY, msgspec.json.encode(content).decode())


def stored_predictions(bench: BenchFile) -> dict[str, Predicted]:
    """Return the latest predictions by control; empty if there are none."""
    return _stored(bench, _KEY)


def _stored(bench: BenchFile, key: str) -> dict[str, Predicted]:
    text = bench.meta().get(key)
    if text is None:
        return {}
    content = msgspec.json.decode(text, type=dict[str, list[tuple[Value, list[float]]]])
    return {name: dict(found) for name, found in content.items()}


def store_expected(bench: BenchFile, control: str, predicted: Predicted, known: Collection[Value]) -> None:
    """Keep what was predicted of a control's values before they were measured.

    Args:
        bench: gets it.
        control: the control.
        predicted: the latest predictions.
        known: values measured so far, whose earlier predictions stay.
    """
    kept = stored_expected(bench)
    found = {value: cases for value, cases in predicted.items() if value not in known}
    kept[control] = {**kept.get(control, {}), **found}
    content = {name: list(each.items()) for name, each in kept.items()}
    bench.set_meta(_EXPECTED_KEY, msgspec.json.encode(content).decode())


def stored_expected(bench: BenchFile) -> dict[str, Predicted]:
    """Return by control the last prediction of each value before its run."""
    return _stored(bench, _EXPECTED_KEY)


def settings_of(experiment: Experiment) -> Search:
    """Return the settings of an experiment of kind `search`."""
    return experiment.search or Search()


def choose_next(
    plan: Plan, experiment: Experiment, judged: Sequence[JudgedStep], predicted: Predicted | None = None
) -> RunChoice:
    """Return the next value to run of one experiment of the plan, or the end of its search.

    Args:
        plan: holds the experiment.
        experiment: of kind `search`.
        judged: the rows so far.
        predicted: accepted requests a second by value, as a model predicts them; None: there is no model.
    """
    search = settings_of(experiment)
    choice = choose_run(
        experiment.tested.values, tried_values(experiment, judged), gain=search.gain, predicted=predicted
    )
    if choice.value is None or search.minutes is None:
        return choice
    each = expected_run_s(experiment, plan.runs[0].rate) + RESTART_S[experiment.target.kind]
    if spent_s(experiment, judged) + each <= 60 * search.minutes:
        return choice
    done = {step.value for step in judged if step.control is not None}
    reason = message("advice.search_out_of_time", minutes=search.minutes)
    left = [value for value in experiment.tested.values if value not in done]
    untried = tuple(UntriedValue(value=value, reason=reason) for value in left)
    return RunChoice(value=None, best=choice.best, reason=reason, untried=untried)


def search_planned(plan: Plan) -> list[Message]:
    """Return what a plan of kind `search` will decide while it runs; empty for another kind."""
    if plan.experiments[0].kind != "search":
        return []
    return [
        message(
            "experiments.search_planned",
            name=each.tested.name,
            candidates=[str(value) for value in each.tested.values],
            most=len(plan.runs),
            threshold=100 * settings_of(each).gain,
        )
        for each in plan.experiments
    ]


def spent_s(experiment: Experiment, judged: Sequence[JudgedStep]) -> float:
    """Return the wall seconds of the runs, each with the estimate of its server's start."""
    start = RESTART_S[experiment.target.kind]
    return sum(start + _wall_s(step) for step in judged)


def _wall_s(step: JudgedStep) -> float:
    begin, end = step.cells.get("start_utc"), step.cells.get("end_utc")
    if not begin or not end:
        return 0.0
    return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()


def tried_values(experiment: Experiment, judged: Sequence[JudgedStep]) -> list[TriedValue]:
    """Return the results of the baseline and of the experiment's control."""
    name = experiment.tested.name
    return [
        _tried(experiment.configuration(None).get(name) if step.control is None else step.value, name, step)
        for step in judged
        if step.control in (None, name)
    ]


def _tried(value: Value | None, name: str, step: JudgedStep) -> TriedValue:
    cells = step.cells
    objective = cells.get(OBJECTIVE)
    if cells.get("valid") is False or cells.get("status") != "valid":
        objective = None
    share, length = cells.get("accepted_share"), cells.get("duration_s")
    accepted = (objective or 0.0) * (length or 0.0)
    running = cells.get("running_max")
    return TriedValue(
        value=value,
        objective=objective,
        noise=math.sqrt(max(0.0, 1 - (share or 0.0)) / accepted) if accepted else 0.0,
        most=cells.get("offered_rps"),
        reached=not (name in _SLOTS and running is not None and isinstance(value, int) and running < value),
    )


def left_out(experiment: Experiment, choice: RunChoice) -> list[Message]:
    """Return one note for each reason for which values need no run."""
    by_reason: dict[str, list[UntriedValue]] = {}
    for each in choice.untried:
        by_reason.setdefault(str(each.reason), []).append(each)
    return [
        message(
            "experiments.search_left_out",
            name=experiment.tested.name,
            values=[str(each.value) for each in group],
            why=group[0].reason,
        )
        for group in by_reason.values()
    ]
