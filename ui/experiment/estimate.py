"""What the draft's plan will take, and where its load will saturate, by the core in a thread. No Qt."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base import InputError

if TYPE_CHECKING:
    from workbench.base import Message
    from workbench.experiments import Experiment, PlanCosts
    from workbench.traces import Trace


@dataclass(frozen=True)
class Estimate:
    """An estimate before anything is run."""

    costs: "PlanCosts"
    classes: tuple[str, ...]
    """Of the trace."""
    saturation: "tuple[str | Message | InputError, ...]"
    """Notes; empty where no profile tells the server's step times."""
    too_few: "tuple[Message, ...]"
    """Figures that runs of this length can't give."""
    saturation_rps: float | None
    saturation_low: float | None
    saturation_high: float | None


def estimate(text: str, where: str, base: Path | None) -> Estimate:
    """Of an experiment's TOML; relative traces are sought in `base`.

    Raises:
        InputError: the experiment, its trace or its server can't be.
    """
    from workbench.experiments import (  # noqa: PLC0415 - slow to load
        Experiment,
        lengths_planned,
        make_plan,
        plan_costs,
        prepare,
        too_few_planned,
    )

    experiment = Experiment.from_toml(text, where=where)
    plan = make_plan([experiment])
    trace, _ = prepare(plan, base)
    sentences, rates = _saturation(experiment, trace)
    if rates[0] is not None:
        sentences += tuple(lengths_planned(plan, trace, rates[0]))
    too_few = tuple(too_few_planned(plan, trace))
    return Estimate(plan_costs(plan, trace), tuple(trace.classes.names), sentences, too_few, *rates)


_UNKNOWN = (None, None, None)


def _saturation(
    experiment: "Experiment", trace: "Trace"
) -> tuple["tuple[str | Message | InputError, ...]", tuple[float | None, float | None, float | None]]:
    """Of the baseline, by the embedded engine's profile; the step times of a real server aren't known."""
    from workbench.experiments import foretold  # noqa: PLC0415 - as above

    try:
        found = foretold(experiment, trace)
    except InputError as error:
        return (error,), _UNKNOWN
    if found is None:
        return (), _UNKNOWN
    return tuple(found.notes), (found.rate_rps, found.low_rps, found.high_rps)
