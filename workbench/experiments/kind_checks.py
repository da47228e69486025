"""Whether an experiment has what its kind needs, and what pinning the KV cache needs."""

import math

from workbench.base import InputError
from workbench.controls import CONTROLS, Value, check_interplay, check_value
from workbench.experiments.control_checks import check_changeable, check_known
from workbench.experiments.load_checks import check_burst
from workbench.experiments.shapes import LoadShape
from workbench.experiments.stated import StatedExperiment
from workbench.servers import LIVE_LIMITS

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
    live = [limit for limit in LIVE_LIMITS if limit in CONTROLS]
    if name not in live:
        raise InputError(
            f"{where}: [control] {name} can't be changed while a server runs; these can: {', '.join(live)}"
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
