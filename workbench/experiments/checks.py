"""What an experiment may ask for: every value possible, all of them together, one control at a time."""

import math

from workbench.base import InputError
from workbench.controls import check_interplay, check_value
from workbench.experiments.control_checks import check_control
from workbench.experiments.finite import require_finite
from workbench.experiments.kind_checks import check_kind, check_pinning
from workbench.experiments.load_checks import check_load, check_text, check_trace
from workbench.experiments.shapes import Cost, Repeats
from workbench.experiments.stated import StatedExperiment
from workbench.results import MOST_MONEY, Limits, Objectives, check_demand
from workbench.servers import check_target

MOST_RUNS = 10_000
MOST_TRIES = 5
"""More runs are surely a slip of the pen."""
_MOST_ANSWER = 4096


def check_experiment(experiment: StatedExperiment, where: str) -> None:
    """Whether every value is possible and all can stand together.

    Raises:
        InputError: the first that isn't, with its place.
    """
    if not experiment.name.strip():
        raise InputError(f"{where}: name is empty: give the experiment one")
    for table in ("target", "objectives", "repeat", "cost", "switchback", "demand"):
        record = getattr(experiment, table)
        if record is not None:
            require_finite(record, table, where)
    check_target(experiment.target, where=where)
    for name, value in experiment.baseline.items():
        check_value(name, value, where=f"{where}: [baseline]")
    check_control(experiment, where)
    check_trace(experiment.trace, where)
    check_load(experiment.load, where)
    check_text(experiment.trace, experiment.load, where, experiment.target.args)
    load = experiment.load
    paced = load.rungs() is not None or load.concurrency is not None or load.profile is not None
    if not paced and experiment.trace.synthetic is not None:
        raise InputError(
            f"{where}: [load] give rates or concurrency: equal requests have no times of their own"
        )
    _check_objectives(experiment.objectives, where)
    _check_repeats(experiment.repeat, where)
    _check_cost(experiment.cost, where)
    if experiment.demand is not None:
        check_demand(experiment.demand, f"{where}: [demand]")
    if experiment.quality is not None and not 1 <= experiment.quality.tokens <= _MOST_ANSWER:
        raise InputError(
            f"{where}: [quality] tokens must be between 1 and {_MOST_ANSWER}, not {experiment.quality.tokens}"
        )
    check_kind(experiment, where)
    check_pinning(experiment, where)
    _check_size(experiment, where)
    for chosen in (None, *experiment.tested.values):
        configuration = experiment.configuration(chosen)
        place = "[baseline]" if chosen is None else f"[control] {experiment.tested.name} = {chosen}"
        check_interplay(configuration, where=f"{where}: {place}")


def _check_objectives(objectives: Objectives, where: str) -> None:
    _check_limits(objectives, f"{where}: [objectives]")
    for name, limits in objectives.classes.items():
        _check_limits(limits, f"{where}: [objectives.classes.{name}]")


def _check_limits(limits: Limits, place: str) -> None:
    for name, value in limits.stated().items():
        if name == "error_rate":
            if not 0 <= value <= 1:
                raise InputError(f"{place} {name} must be between 0 and 1, not {value}")
        elif name == "preemptions":
            if not 0 <= value < math.inf:
                raise InputError(f"{place} {name} must be at least 0, not {value}")
        elif not 0 < value < math.inf:
            raise InputError(f"{place} {name} must be above 0 ms, not {value}: no request could meet it")
        if value > limits.most(name):
            raise InputError(f"{place} {name} must be at most {limits.most(name):,.0f}, not {value:g}")


def _check_repeats(repeat: Repeats, where: str) -> None:
    if repeat.n < 1:
        raise InputError(f"{where}: [repeat] n must be at least 1, not {repeat.n}")
    if not 0 <= repeat.disturbed <= MOST_TRIES:
        raise InputError(
            f"{where}: [repeat] disturbed must be between 0 and {MOST_TRIES}, not {repeat.disturbed}"
        )


def _check_cost(cost: Cost | None, where: str) -> None:
    if cost is None:
        return
    if not 0 < cost.per_hour < math.inf:
        raise InputError(f"{where}: [cost] per_hour must be above 0, not {cost.per_hour}")
    if cost.per_hour > MOST_MONEY:
        raise InputError(f"{where}: [cost] per_hour must be at most {MOST_MONEY:g}, not {cost.per_hour:g}")
    for field in ("currency", "source"):
        if not getattr(cost, field).strip():
            raise InputError(f"{where}: [cost] {field} is empty")


def _check_size(experiment: StatedExperiment, where: str) -> None:
    rungs = experiment.load.rungs() or experiment.load.concurrency or [None]
    runs = (1 + len(experiment.tested.values)) * len(rungs) * experiment.repeat.n
    if runs > MOST_RUNS:
        raise InputError(f"{where}: {runs:,} runs; at most {MOST_RUNS:,} make one experiment")
