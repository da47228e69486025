"""The cost of the draft's plan and where its load saturates, computed by the core in a thread. No Qt."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ui.language.texts import Sayable
from workbench.base import InputError, message

if TYPE_CHECKING:
    from workbench.base import Message
    from workbench.experiments import Experiment, Plan, PlanEstimate
    from workbench.traces import Trace

_MOST_PREDICTED = 4
"""Different runs that are predicted while the file is edited; each takes a second or two."""


@dataclass(frozen=True)
class Estimate:
    """An estimate of a plan before it runs."""

    costs: "PlanEstimate"
    classes: tuple[str, ...]
    """Classes of the trace."""
    saturation: tuple[Sayable, ...]
    """Notes on where the load saturates the baseline, if a profile has the server's step times, and on what
    the runs are expected to measure, if earlier ones measured the server."""
    too_few: "tuple[Message, ...]"
    """Percentiles that runs of this length can't give."""


def estimate(text: str, where: str, base: Path | None) -> Estimate:
    """Estimate an experiment's TOML; relative traces are sought in `base`.

    Raises:
        InputError: the experiment, its trace or its server is invalid.
    """
    from workbench.experiments import (  # noqa: PLC0415 - slow to load
        Experiment,
        estimate_plan,
        make_plan,
        prepare,
        too_few_requests,
    )

    experiment = Experiment.from_toml(text, where=where)
    plan = make_plan([experiment])
    trace, _ = prepare(plan, base)
    too_few = tuple(too_few_requests(plan, trace))
    classes = tuple(trace.classes.names)
    said = (*_saturation(experiment, plan, trace), *_predictions(experiment, plan, trace))
    return Estimate(estimate_plan(plan, trace), classes, said, too_few)


def _predictions(experiment: "Experiment", plan: "Plan", trace: "Trace") -> tuple[Sayable, ...]:
    """Return what the first runs are expected to measure, by earlier runs; empty for a new server."""
    from workbench.experiments import learned_model, predict_plan  # noqa: PLC0415 - as above

    model = learned_model(experiment.target)
    if model is None:
        return ()
    predicted = predict_plan(plan, trace, model, most=_MOST_PREDICTED)
    first = {run.row: predicted[run.name] for run in reversed(plan.runs) if run.name in predicted}
    return (
        message("experiments.predicted_from", runs=len(model.runs)),
        *(one.sentence() for one in reversed(first.values())),
    )


def _saturation(experiment: "Experiment", plan: "Plan", trace: "Trace") -> tuple[Sayable, ...]:
    """Return notes on where the load saturates the baseline; empty for a real server."""
    from workbench.experiments import predict_saturation, too_short_runs  # noqa: PLC0415 - as above

    try:
        found = predict_saturation(experiment, trace)
    except InputError as error:
        return (error,)
    if found is None:
        return ()
    return (*found.notes, *too_short_runs(plan, trace, found.rate_rps))
