"""Findings of a search: the best value, and the values that needed no run."""

from collections.abc import Mapping, Sequence

from workbench.advice import RunChoice, TriedValue
from workbench.base import Message, message
from workbench.experiments.plan.judged_steps import JudgedStep, judge_steps
from workbench.experiments.plan.plan import make_plan
from workbench.experiments.plan.search import (
    Predicted,
    choose_next,
    left_out,
    settings_of,
    stored_predictions,
    tried_values,
)
from workbench.experiments.spec.experiment import Experiment
from workbench.results import BenchFile


def search_findings(bench: BenchFile, experiments: Sequence[Experiment]) -> list[Message]:
    """Return the pick of each control, with what it gains, and the values left out, with the reasons."""
    return findings_of_steps(experiments, judge_steps(bench), stored_predictions(bench))


def findings_of_steps(
    experiments: Sequence[Experiment], judged: Sequence[JudgedStep], predicted: Mapping[str, Predicted]
) -> list[Message]:
    """Return the same as `search_findings`, from the judged rows and the twin's predictions by control."""
    plan = make_plan(experiments)
    if settings_of(experiments[0]).one_control:
        experiments = [searched(experiments, judged)]
    found: list[Message] = []
    for experiment in experiments:
        choice = choose_next(plan, experiment, judged, predicted.get(experiment.tested.name))
        found += [_pick(experiment, choice, judged), *left_out(experiment, choice)]
    return found


def searched(experiments: Sequence[Experiment], judged: Sequence[JudgedStep]) -> Experiment:
    """Return the experiment whose control was searched; the first one if none was."""
    begun = {step.control for step in judged}
    return next((each for each in experiments if each.tested.name in begun), experiments[0])


def _pick(experiment: Experiment, choice: RunChoice, judged: Sequence[JudgedStep]) -> Message:
    name, best = experiment.tested.name, choice.best
    if best is None or best.objective is None:
        return message("experiments.search_without_pick", name=name)
    own = [step for step in judged if step.control in (None, name)]
    results = list(zip(own, tried_values(experiment, judged), strict=True))
    baseline = next((tried for step, tried in results if step.control is None), None)
    row = next(step for step, tried in results if tried == best)
    measured = sum(step.control is not None for step in own)
    parts = [message("experiments.search_measured", measured=measured, of=len(experiment.tested.values))]
    if row.control is None:
        return message("experiments.search_baseline_best", name=name, rate=best.objective, parts=parts)
    gained = _gained(best, baseline, settings_of(experiment).gain)
    if gained is not None:
        parts.insert(0, gained)
    return message(
        "experiments.search_pick", name=name, value=str(row.value), rate=best.objective, parts=parts
    )


def _gained(best: TriedValue, baseline: TriedValue | None, threshold: float) -> Message | None:
    """Return the gain over the baseline; None if the baseline accepted nothing."""
    if baseline is None or not baseline.objective or not best.objective:
        return None
    gain = best.objective / baseline.objective - 1
    kind = "experiments.search_gain" if gain >= threshold else "experiments.search_small_gain"
    return Message(kind=kind, values={"percent": 100 * gain, "baseline": baseline.objective})
