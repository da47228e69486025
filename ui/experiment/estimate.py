"""What the draft's plan will take, and where its load will saturate, by the core in a thread. No Qt."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base import InputError

if TYPE_CHECKING:
    from workbench.experiments import Experiment, PlanCosts
    from workbench.traces import Trace


@dataclass(frozen=True)
class Estimate:
    """An estimate before anything is run."""

    costs: "PlanCosts"
    classes: tuple[str, ...]
    """Of the trace."""
    saturation: tuple[str, ...]
    """Sentences; empty where no profile tells the server's step times."""
    saturation_rps: float | None
    saturation_low: float | None
    saturation_high: float | None


def estimate(text: str, where: str, base: Path | None) -> Estimate:
    """Of an experiment's TOML; relative traces are sought in `base`.

    Raises:
        InputError: the experiment, its trace or its server can't be.
    """
    from workbench.experiments import Experiment, make_plan, plan_costs, prepare  # noqa: PLC0415 - slow to load

    experiment = Experiment.from_toml(text, where=where)
    plan = make_plan([experiment])
    trace, _ = prepare(plan, base)
    sentences, rates = _saturation(experiment, trace)
    return Estimate(plan_costs(plan, trace), tuple(trace.classes.names), sentences, *rates)


_UNKNOWN = (None, None, None)


def _saturation(
    experiment: "Experiment", trace: "Trace"
) -> tuple[tuple[str, ...], tuple[float | None, float | None, float | None]]:
    """Of the baseline, by the embedded engine's profile; the step times of a real server aren't known."""
    from workbench.advice import Load, saturation  # noqa: PLC0415 - as above
    from workbench.profiles import load_profile  # noqa: PLC0415 - as above
    from workbench.traces import ideal_hit_tokens  # noqa: PLC0415 - as above

    if experiment.target.kind != "embedded" or not experiment.target.profile:
        return (), _UNKNOWN
    hits = ideal_hit_tokens(trace)
    cached = 0.0 if hits is None else float(hits.sum() / trace.input_length.sum())
    if experiment.baseline.get("enable_prefix_caching") is False:
        cached = 0.0
    load = Load(
        input_tokens=float(trace.input_length.mean()),
        output_tokens=float(trace.output_length.mean()),
        cached_share=min(cached, _MOST_CACHED),
    )
    try:
        found = saturation(load, load_profile(experiment.target.profile), experiment.baseline)
    except InputError as error:
        return (str(error),), _UNKNOWN
    return tuple(found.sentences), (found.rate_rps, found.low_rps, found.high_rps)


_MOST_CACHED = 0.99
"""A prompt that is all cached would cost nothing."""
