"""What an experiment may ask for: every value possible, all of them together, one control at a time."""

import math
from collections.abc import Mapping
from typing import Any

from workbench.base import InputError, Place, Refusal
from workbench.controls import CONTROLS, LIVE_CONTROLS, Value, check_interplay, check_value
from workbench.experiments.spec.finite import require_finite
from workbench.experiments.spec.tables import Cost, LoadShape, Repeats, StatedExperiment
from workbench.experiments.spec.validate_load import check_burst, check_load, check_text, check_trace
from workbench.results import MOST_MONEY, Limits, Objectives, check_demand
from workbench.servers import TargetSpec, check_target, target_value

# Whether an experiment changes one control, and one that can be changed.

_CHANGES_ONE = ("switchback", "confirm")
"""Kinds that compare two values of a control."""


def refuse_second_control(content: Mapping[str, Any], where: str) -> None:
    """Whether the file puts more than one control under test, in any of the ways one might write it.

    Raises:
        InputError: it does; names them.
    """
    control = content.get("control")
    names: list[str] = []
    if isinstance(control, list):
        names = [str(entry.get("name", "?")) for entry in control if isinstance(entry, dict)]
    elif isinstance(control, dict):
        given = control.get("name")
        names = [str(name) for name in given] if isinstance(given, list) else [str(given)]
        names += [key for key in control if key in CONTROLS and key != given]
    if len(names) > 1:
        raise InputError(
            f"{where}: [control] one control at a time: this would change {' and '.join(names)};"
            " make one experiment of each, with the same baseline, and run them together"
        )


def check_control(experiment: StatedExperiment, where: str) -> None:
    """Whether the control under test and its values can be tested against the baseline.

    Raises:
        InputError: they can't; names the field.
    """
    if experiment.control is None:
        if experiment.kind in _CHANGES_ONE:
            place = Place(file=where, table="control")
            raise Refusal("experiments.control_missing", place, kind=experiment.kind)
        return
    name, values = experiment.control.name, experiment.control.values
    if not values and experiment.kind not in ("burst", "soak"):
        raise InputError(
            f"{where}: [control] values is empty: give at least one value to compare with the baseline"
        )
    for value in values:
        check_value(name, value, where=f"{where}: [control] values")
    if not values:
        check_known(name, f"{where}: [control]")
    if len(set(values)) < len(values):
        raise InputError(f"{where}: [control] values has the same value twice")
    if name in experiment.baseline and experiment.baseline[name] in values:
        raise InputError(
            f"{where}: [control] values holds {experiment.baseline[name]}, which is the baseline's own {name}"
        )
    own = target_value(experiment.target, name)
    if name not in experiment.baseline and own is not None and own in values:
        place = Place(file=where, table="control", key="values")
        raise Refusal("experiments.value_of_target", place, value=own)
    if values:
        check_changeable(experiment.target, name, f"{where}: [control]")


def check_known(name: str, where: str) -> None:
    """Whether there is a control of this name.

    Raises:
        InputError: there is none.
    """
    if name not in CONTROLS:
        check_value(name, 0, where=where)


def check_changeable(target: TargetSpec, name: str, place: str) -> None:
    """Whether the target's server can be had with another value of the control.

    Raises:
        InputError: it can't: it isn't ours to restart.
    """
    if target.kind == "attached" and CONTROLS[name].of_server:
        ours = ", ".join(control.name for control in CONTROLS.values() if not control.of_server)
        raise InputError(
            f"{place} {name} can't be changed on an attached server, which isn't ours to restart;"
            f" only the caller's own controls can: {ours}"
        )


# Whether an experiment has what its kind needs, and what pinning the KV cache needs.

LEAST_PAIRS = 6
"""Six pairs have 64 orders; the most extreme two are 3 % of them."""
PINNED_BY = "num_gpu_blocks_override"
"""The control by which the KV cache of later servers is that of the baseline's."""
_ABOUT_KV = (PINNED_BY, "gpu_memory_utilization", "kv_cache_dtype", "block_size")
_TABLES = {"burst": "burst", "confirm": "second", "switchback": "switchback"}
"""Kinds that need a table of their own."""


def check_kind(experiment: StatedExperiment, where: str) -> None:
    """Whether the experiment has what its kind needs, and nothing that means nothing with it.

    Raises:
        InputError: it hasn't; names the field.
    """
    kind = experiment.kind
    for of, table in _TABLES.items():
        stated = getattr(experiment, table) is not None
        if kind == of and not stated:
            raise InputError(f'{where}: [{table}] is missing: kind = "{kind}" needs it')
        if kind != of and stated:
            raise InputError(f'{where}: [{table}] means nothing with kind = "{kind}"; it needs kind = "{of}"')
    ladder = experiment.load.ladder
    if ladder is not None and ladder.adaptive and kind != "ladder":
        raise InputError(f'{where}: [load] ladder adaptive means nothing with kind = "{kind}"')
    if experiment.burst is not None:
        check_burst(experiment.burst, experiment.load, where)
    if kind == "soak":
        _check_one_step(experiment.load, f'{where}: kind = "soak"')
    if kind == "confirm":
        _check_confirm(experiment, where)
    if kind == "switchback":
        _check_switchback(experiment, where)


def _check_one_step(load: LoadShape, place: str) -> None:
    steps = load.rungs() or load.concurrency or [0.0]
    if len(steps) != 1:
        raise InputError(f"{place}: [load] one long run needs one rate, not {len(steps)}")
    if load.duration_s is None:
        raise InputError(f"{place}: [load] duration_s is missing: how long is it to go on?")


def _check_confirm(experiment: StatedExperiment, where: str) -> None:
    second, control = experiment.second, experiment.tested
    assert second is not None
    if len(control.values) != 1:
        raise InputError(
            f"{where}: [control] values must be one value in a 2 by 2, not {len(control.values)}"
        )
    check_known(second.name, f"{where}: [second] name")
    check_value(second.name, second.value, where=f"{where}: [second] value")
    check_changeable(experiment.target, second.name, f"{where}: [second]")
    if second.name == control.name:
        raise InputError(f"{where}: [second] name is [control]'s own; a 2 by 2 has two controls")
    if experiment.baseline.get(second.name) == second.value:
        raise InputError(f"{where}: [second] value {second.value} is the baseline's own {second.name}")
    alone: dict[str, Value] = {**experiment.baseline, second.name: second.value}
    for configuration in (alone, {**alone, control.name: control.values[0]}):
        check_interplay(configuration, where=f"{where}: [second]")


def _check_switchback(experiment: StatedExperiment, where: str) -> None:
    _check_one_step(experiment.load, f'{where}: kind = "switchback"')
    name, values, switchback = experiment.tested.name, experiment.tested.values, experiment.switchback
    if name not in LIVE_CONTROLS:
        raise InputError(
            f"{where}: [control] {name} can't be changed while a server runs; these can: "
            + ", ".join(LIVE_CONTROLS)
        )
    if not experiment.target.live_limits:
        raise InputError(f'{where}: [target] live_limits = true is missing: kind = "switchback" needs it')
    if len(values) != 1 or name not in experiment.baseline:
        raise InputError(
            f'{where}: kind = "switchback" compares two values of {name}: state one in [baseline] and one in'
            " [control] values"
        )
    assert switchback is not None
    if not 0 < switchback.block_s < math.inf:
        raise InputError(f"{where}: [switchback] block_s must be above 0, not {switchback.block_s}")
    if not 0 <= switchback.washout_s < switchback.block_s:
        raise InputError(
            f"{where}: [switchback] washout_s must be at least 0 and below block_s,"
            f" not {switchback.washout_s}"
        )
    least = 2 * LEAST_PAIRS * switchback.block_s
    if (experiment.load.duration_s or 0.0) < least:
        raise InputError(
            f"{where}: [load] duration_s must be at least {least:g} s, {LEAST_PAIRS} pairs of blocks: with"
            " fewer no difference can be told from chance"
        )


def check_pinning(experiment: StatedExperiment, where: str) -> None:
    """Whether pinning and the controls go together.

    Raises:
        InputError: the experiment itself says how large the KV cache is, or starts one server only.
    """
    if experiment.target.kv != "pinned":
        return
    place = f'{where}: [target] kv = "pinned"'
    if experiment.tested.name in _ABOUT_KV:
        raise InputError(f"{place}: {experiment.tested.name}, the control under test, is about the KV cache")
    if PINNED_BY in experiment.baseline:
        raise InputError(f"{place}: [baseline] {PINNED_BY} says already how many blocks every server has")
    if experiment.kind == "switchback":
        raise InputError(f"{place} means nothing for a switchback: it has one server")


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
        check_demand(experiment.demand, Place(file=where, table="demand"))
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
