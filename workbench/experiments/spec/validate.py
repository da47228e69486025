"""Checks of a whole experiment: each value, all of them together, and one control under test at a time."""

import math
from collections.abc import Mapping
from typing import Any

from workbench.base import Place, Refusal, placed
from workbench.controls import CONTROLS, LIVE_CONTROLS, Value, check_interplay, check_value
from workbench.experiments.spec.file_content import require_finite
from workbench.experiments.spec.tables import ClusterNeeds, Cost, ExperimentSpec, LoadShape, Repeats
from workbench.experiments.spec.validate_load import (
    check_burst,
    check_hosts,
    check_load,
    check_text,
    check_trace,
)
from workbench.results import MOST_MONEY, Limits, Objectives, check_demand
from workbench.servers import TargetSpec, check_target, target_value

# The control under test.

_OF_RAY = ("CPU", "GPU", "memory", "object_store_memory")
"""Resources that Ray names itself."""
_CHANGES_ONE = ("switchback", "confirm", "search")
"""Kinds that compare values of a control."""


def refuse_second_control(content: Mapping[str, Any], where: str) -> None:
    """Refuse a file that puts several controls under test, however it is written.

    Raises:
        Refusal: names the controls.
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
        raise Refusal("experiments.several_controls", Place(file=where, table="control"), names=names)


def check_control(experiment: ExperimentSpec, where: str) -> None:
    """Check the control under test and its values.

    Raises:
        Refusal: names the field.
    """
    if experiment.control is None:
        if experiment.kind in _CHANGES_ONE:
            place = Place(file=where, table="control")
            raise Refusal("experiments.control_missing", place, kind=experiment.kind)
        return
    name, values = experiment.control.name, experiment.control.values
    place = Place(file=where, table="control", key="values")
    if not values and experiment.kind not in ("burst", "soak"):
        raise Refusal("experiments.no_values", place)
    _check_known(name, Place(file=where, table="control", key="name"))
    with placed(place):
        for value in values:
            check_value(name, value)
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        raise Refusal("experiments.value_twice", place, value=twice)
    if name in experiment.baseline and experiment.baseline[name] in values:
        raise Refusal("experiments.value_of_baseline", place, value=experiment.baseline[name], name=name)
    own = target_value(experiment.target, name)
    if name not in experiment.baseline and own is not None and own in values:
        raise Refusal("experiments.value_of_target", place, value=own)
    if values:
        _check_changeable(experiment.target, name, Place(file=where, table="control", key="name"))


def _check_known(name: str, place: Place) -> None:
    """Check that a control has this name.

    Raises:
        Refusal: none has.
    """
    if name not in CONTROLS:
        with placed(place):
            check_value(name, 0)


def _check_changeable(target: TargetSpec, name: str, place: Place) -> None:
    """Check that the target's server can be started again with another value of the control.

    Raises:
        Refusal: it is another one's server.
    """
    if target.kind == "attached" and CONTROLS[name].of_server:
        ours = [control.name for control in CONTROLS.values() if not control.of_server]
        raise Refusal("experiments.not_ours_to_restart", place, name=name, ours=ours)


# Requirements of each kind of experiment, and of a pinned KV cache.

LEAST_PAIRS = 6
"""Six pairs have 64 orders; the most extreme two are 3 % of them."""
PINNED_BY = "num_gpu_blocks_override"
"""The control that gives later servers the KV cache of the baseline's."""
_ABOUT_KV = (PINNED_BY, "gpu_memory_utilization", "kv_cache_dtype", "block_size")
_TABLES = {"burst": "burst", "confirm": "second", "switchback": "switchback"}
"""Kinds that need a table of their own."""


def check_kind(experiment: ExperimentSpec, where: str) -> None:
    """Check that the experiment has all that its kind needs, and nothing that belongs to another kind.

    Raises:
        Refusal: names the field.
    """
    kind = experiment.kind
    for owner, table in _TABLES.items():
        stated = getattr(experiment, table) is not None
        if kind == owner and not stated:
            raise Refusal("experiments.table_of_kind_missing", Place(file=where, table=table), kind=kind)
        if kind != owner and stated:
            place = Place(file=where, table=table)
            raise Refusal("experiments.table_of_other_kind", place, kind=kind, other=owner)
    if kind != "search" and experiment.search is not None:
        place = Place(file=where, table="search")
        raise Refusal("experiments.table_of_other_kind", place, kind=kind, other="search")
    ladder = experiment.load.ladder
    if ladder is not None and ladder.adaptive and kind != "ladder":
        place = Place(file=where, table="load.ladder", key="adaptive")
        raise Refusal("experiments.not_with_kind", place, kind=kind)
    if experiment.burst is not None:
        check_burst(experiment.burst, experiment.load, where)
    if kind in ("soak", "switchback"):
        _check_one_step(experiment.load, kind, where)
    if kind == "search":
        _check_search(experiment, where)
    if kind == "confirm":
        _check_confirm(experiment, where)
    if kind == "switchback":
        _check_switchback(experiment, where)


def _check_one_rate(load: LoadShape, kind: str, where: str) -> None:
    steps = load.offered_rates() or load.concurrency or [0.0]
    if len(steps) != 1:
        place = Place(file=where, table="load", key="rates" if load.offered_rates() else "concurrency")
        raise Refusal("experiments.one_rate_only", place, kind=kind, count=len(steps))


def _check_one_step(load: LoadShape, kind: str, where: str) -> None:
    _check_one_rate(load, kind, where)
    if load.duration_s is None:
        place = Place(file=where, table="load", key="duration_s")
        raise Refusal("experiments.duration_missing", place, kind=kind)


def _check_search(experiment: ExperimentSpec, where: str) -> None:
    _check_one_rate(experiment.load, "search", where)
    if experiment.repeat.n != 1:
        place = Place(file=where, table="repeat", key="n")
        raise Refusal("experiments.not_with_kind", place, kind="search")
    if experiment.search is None:
        return
    for key in ("gain", "minutes"):
        value = getattr(experiment.search, key)
        if value is not None and not 0 < value < math.inf:
            place = Place(file=where, table="search", key=key)
            raise Refusal("base.not_above", place, value=value, minimum=0)


def _check_confirm(experiment: ExperimentSpec, where: str) -> None:
    second, control = experiment.second, experiment.tested
    assert second is not None
    if len(control.values) != 1:
        place = Place(file=where, table="control", key="values")
        raise Refusal("experiments.one_value_only", place, count=len(control.values))
    place = Place(file=where, table="second", key="name")
    _check_known(second.name, place)
    with placed(Place(file=where, table="second", key="value")):
        check_value(second.name, second.value)
    _check_changeable(experiment.target, second.name, place)
    if second.name == control.name:
        raise Refusal("experiments.same_control", place, name=second.name)
    place = Place(file=where, table="second", key="value")
    if experiment.baseline.get(second.name) == second.value:
        raise Refusal("experiments.value_of_baseline", place, value=second.value, name=second.name)
    alone: dict[str, Value] = {**experiment.baseline, second.name: second.value}
    with placed(place):
        for configuration in (alone, {**alone, control.name: control.values[0]}):
            check_interplay(configuration)


def _check_switchback(experiment: ExperimentSpec, where: str) -> None:
    name, values, switchback = experiment.tested.name, experiment.tested.values, experiment.switchback
    if name not in LIVE_CONTROLS:
        place = Place(file=where, table="control", key="name")
        raise Refusal("experiments.no_live_limit", place, name=name, live=LIVE_CONTROLS)
    if not experiment.target.live_limits:
        raise Refusal("experiments.live_limits_off", Place(file=where, table="target", key="live_limits"))
    if len(values) != 1 or name not in experiment.baseline:
        place = Place(file=where, table="control", key="values")
        raise Refusal("experiments.two_values_only", place, name=name)
    assert switchback is not None
    place = Place(file=where, table="switchback", key="block_s")
    if not 0 < switchback.block_s < math.inf:
        raise Refusal("base.not_above", place, value=switchback.block_s, minimum=0)
    if not 0 <= switchback.washout_s < switchback.block_s:
        place = Place(file=where, table="switchback", key="washout_s")
        raise Refusal(
            "experiments.washout_too_long", place, value=switchback.washout_s, block_s=switchback.block_s
        )
    least = 2 * LEAST_PAIRS * switchback.block_s
    if (experiment.load.duration_s or 0.0) < least:
        place = Place(file=where, table="load", key="duration_s")
        raise Refusal("experiments.too_few_pairs", place, least_s=least, pairs=LEAST_PAIRS)


def check_pinning(experiment: ExperimentSpec, where: str) -> None:
    """Check that the controls leave the size of the KV cache to `kv = "pinned"`.

    Raises:
        Refusal: a control sets that size, or the experiment starts one server only.
    """
    if experiment.target.kv != "pinned":
        return
    place = Place(file=where, table="target", key="kv")
    if experiment.tested.name in _ABOUT_KV:
        raise Refusal("experiments.pinned_control", place, name=experiment.tested.name)
    if PINNED_BY in experiment.baseline:
        raise Refusal("experiments.pinned_twice", place, name=PINNED_BY)
    if experiment.kind == "switchback":
        raise Refusal("experiments.pinned_switchback", place)


MOST_RUNS = 10_000
"""More runs are surely a typing error."""
MOST_TRIES = 5
"""More repetitions of a disturbed run are surely a typing error."""
_MOST_ANSWER = 4096


def check_experiment(experiment: ExperimentSpec, where: str) -> None:
    """Check every value, and all of them together.

    Raises:
        Refusal: the first problem, with its place.
    """
    if not experiment.name.strip():
        raise Refusal("experiments.no_name", Place(file=where, key="name"))
    for table in ("target", "objectives", "repeat", "cost", "switchback", "search", "demand"):
        record = getattr(experiment, table)
        if record is not None:
            require_finite(record, table, where)
    check_target(experiment.target, where=where)
    for name, value in experiment.baseline.items():
        with placed(Place(file=where, table="baseline", key=name)):
            check_value(name, value)
    check_control(experiment, where)
    check_trace(experiment.trace, where)
    check_load(experiment.load, where)
    check_hosts(experiment.load, experiment.target.kind, where)
    check_text(experiment.trace, experiment.load, where, experiment.target.args)
    load = experiment.load
    paced = load.offered_rates() is not None or load.concurrency is not None or load.profile is not None
    if not paced and experiment.trace.synthetic is not None:
        raise Refusal("experiments.synthetic_without_rate", Place(file=where, table="load"))
    _check_objectives(experiment.objectives, where)
    _check_repeats(experiment.repeat, where)
    _check_cost(experiment.cost, where)
    if experiment.demand is not None:
        check_demand(experiment.demand, Place(file=where, table="demand"))
    if experiment.quality is not None and not 1 <= experiment.quality.tokens <= _MOST_ANSWER:
        place = Place(file=where, table="quality", key="tokens")
        raise Refusal(
            "base.out_of_range", place, value=experiment.quality.tokens, minimum=1, maximum=_MOST_ANSWER
        )
    _check_cluster(experiment.cluster, where)
    check_kind(experiment, where)
    check_pinning(experiment, where)
    _check_size(experiment, where)
    with placed(Place(file=where, table="baseline")):
        check_interplay(experiment.configuration(None))
    with placed(Place(file=where, table="control", key="values")):
        for chosen in experiment.tested.values:
            check_interplay(experiment.configuration(chosen))


def _check_objectives(objectives: Objectives, where: str) -> None:
    _check_limits(objectives, where, "objectives")
    for name, limits in objectives.classes.items():
        _check_limits(limits, where, f"objectives.classes.{name}")


def _check_limits(limits: Limits, where: str, table: str) -> None:
    for name, value in limits.stated().items():
        place = Place(file=where, table=table, key=name)
        if name == "error_rate":
            if not 0 <= value <= 1:
                raise Refusal("base.out_of_range", place, value=value, minimum=0, maximum=1)
        elif name == "preemptions":
            if not 0 <= value < math.inf:
                raise Refusal("base.too_small", place, value=value, minimum=0)
        elif not 0 < value < math.inf:
            raise Refusal("base.not_above", place, value=value, minimum=0)
        if value > limits.most(name):
            raise Refusal("base.too_large", place, value=value, maximum=limits.most(name))


def _check_repeats(repeat: Repeats, where: str) -> None:
    if repeat.n < 1:
        raise Refusal("base.too_small", Place(file=where, table="repeat", key="n"), value=repeat.n, minimum=1)
    if not 0 <= repeat.disturbed <= MOST_TRIES:
        place = Place(file=where, table="repeat", key="disturbed")
        raise Refusal("base.out_of_range", place, value=repeat.disturbed, minimum=0, maximum=MOST_TRIES)


def _check_cost(cost: Cost | None, where: str) -> None:
    if cost is None:
        return
    place = Place(file=where, table="cost", key="per_hour")
    if not 0 < cost.per_hour < math.inf:
        raise Refusal("base.not_above", place, value=cost.per_hour, minimum=0)
    if cost.per_hour > MOST_MONEY:
        raise Refusal("base.too_large", place, value=cost.per_hour, maximum=MOST_MONEY)
    for field in ("currency", "source"):
        if not getattr(cost, field).strip():
            raise Refusal("experiments.empty_text", Place(file=where, table="cost", key=field))


def _check_cluster(needs: ClusterNeeds, where: str) -> None:
    for key in ("num_cpus", "num_gpus"):
        value = getattr(needs, key)
        if not 0 <= value < math.inf:
            raise Refusal(
                "base.too_small", Place(file=where, table="cluster", key=key), value=value, minimum=0
            )
    if needs.num_gpus > 1 and needs.num_gpus % 1:
        place = Place(file=where, table="cluster", key="num_gpus")
        raise Refusal("experiments.part_of_gpus", place, value=needs.num_gpus)
    for name, value in needs.resources.items():
        place = Place(file=where, table="cluster.resources", key=name)
        if name in _OF_RAY:
            raise Refusal("experiments.resource_of_ray", place, name=name)
        if not 0 < value < math.inf:
            raise Refusal("base.not_above", place, value=value, minimum=0)


def _check_size(experiment: ExperimentSpec, where: str) -> None:
    steps = experiment.load.offered_rates() or experiment.load.concurrency or [None]
    runs = (1 + len(experiment.tested.values)) * len(steps) * experiment.repeat.n
    if runs > MOST_RUNS:
        raise Refusal("experiments.too_many_runs", Place(file=where), runs=runs, most=MOST_RUNS)
