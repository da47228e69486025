"""What an experiment may ask for: every value possible, all of them together, one control at a time."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.base import InputError
from workbench.controls import CONTROLS, Value, check_interplay, check_value
from workbench.experiments.pinning import check_pinning
from workbench.experiments.shapes import Burst, Cost, LadderShape, LoadShape, Repeats, TraceChoice
from workbench.results import Limits, Objectives, check_demand
from workbench.servers import LIVE_LIMITS, TargetSpec, check_target

if TYPE_CHECKING:
    from workbench.experiments.experiment import Experiment

MOST_RUNS = 10_000
"""More runs are surely a slip of the pen."""
LEAST_PAIRS = 6
"""Six pairs have 64 orders; the most extreme two are 3 % of them."""
_LEAST_FACTOR = 1.01
_MOST_ANSWER = 4096
_MOST_SEED = 2**63 - 1


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


def check_experiment(experiment: "Experiment", where: str) -> None:
    """Whether every value is possible and all can stand together.

    Raises:
        InputError: the first that isn't, with its place.
    """
    if not experiment.name.strip():
        raise InputError(f"{where}: name is empty: give the experiment one")
    check_target(experiment.target, where=where)
    for name, value in experiment.baseline.items():
        check_value(name, value, where=f"{where}: [baseline]")
    _check_control(experiment, where)
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
    _check_kind(experiment, where)
    check_pinning(experiment, where)
    _check_size(experiment, where)
    for chosen in (None, *experiment.control.values):
        configuration = experiment.configuration(chosen)
        place = "[baseline]" if chosen is None else f"[control] {experiment.control.name} = {chosen}"
        check_interplay(configuration, where=f"{where}: {place}")


def _check_control(experiment: "Experiment", where: str) -> None:
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
    if values:
        _check_changeable(experiment.target, name, f"{where}: [control]")


def check_known(name: str, where: str) -> None:
    """Whether there is a control of this name.

    Raises:
        InputError: there is none.
    """
    if name not in CONTROLS:
        check_value(name, 0, where=where)


def _check_changeable(target: TargetSpec, name: str, place: str) -> None:
    if target.kind == "attached" and CONTROLS[name].flag is not None:
        ours = ", ".join(control.name for control in CONTROLS.values() if control.flag is None)
        raise InputError(
            f"{place} {name} can't be changed on an attached server, which isn't ours to restart;"
            f" only the caller's own controls can: {ours}"
        )


def check_trace(trace: TraceChoice, where: str) -> None:
    """Whether the choice of a trace is one.

    Raises:
        InputError: it isn't.
    """
    given = [name for name in ("file", "synthetic", "mix") if getattr(trace, name) is not None]
    if len(given) != 1:
        said = " and ".join(given) if given else "none"
        raise InputError(f"{where}: [trace] give exactly one of file, synthetic, mix; given: {said}")
    if not 0 < trace.speedup < math.inf:
        raise InputError(f"{where}: [trace] speedup must be above 0, not {trace.speedup}")
    if not 0 <= trace.seed <= _MOST_SEED:
        raise InputError(f"{where}: [trace] seed must be between 0 and {_MOST_SEED}, not {trace.seed}")


def check_text(trace: TraceChoice, load: LoadShape, where: str, arguments: Sequence[str] = ()) -> None:
    """Whether real text, if it is to be replayed, can be, and stays out of the server's captured log.

    Raises:
        InputError: it can't; names the field.
    """
    for field in ("replay_text", "tokenizer"):
        if getattr(trace, field) and trace.file is None:
            raise InputError(f"{where}: [trace] {field} needs file: only a file holds texts")
    if not trace.replay_text:
        return
    if trace.max_len == "clamp":
        raise InputError(f'{where}: [trace] replay_text cuts no text: give max_len "refuse" or "drop"')
    if load.input_mode == "ids":
        raise InputError(f"{where}: [trace] replay_text sends text; input_mode ids can't")
    telling = [word for word in arguments if word.startswith(_TELLS_PROMPTS)]
    if telling:
        raise InputError(
            f"{where}: [target] args {telling[0]} writes prompts into the server's log, which is kept;"
            " leave it out, or replay no real text"
        )


_TELLS_PROMPTS = ("--enable-log-requests", "--enable-log-outputs", "--log-requests")


def check_load(load: LoadShape, where: str) -> None:
    """Whether the load can be applied.

    Raises:
        InputError: it can't; names the field.
    """
    given = [name for name in ("rates", "ladder", "concurrency") if getattr(load, name) is not None]
    if len(given) > 1:
        raise InputError(
            f"{where}: [load] give rates or ladder (open loop) or concurrency (closed loop), not both:"
            f" {' and '.join(given)}"
        )
    for field in ("rates", "concurrency"):
        steps: list[float] | None = getattr(load, field)
        if steps is not None and not steps:
            raise InputError(f"{where}: [load] {field} is empty")
        for step in steps or []:
            if not 0 < step < math.inf:
                raise InputError(f"{where}: [load] {field} must be above 0, not {step}")
        if steps is not None and len({f"{step:g}" for step in steps}) < len(steps):
            raise InputError(f"{where}: [load] {field} has the same value twice")
    if load.ladder is not None:
        _check_ladder(load.ladder, f"{where}: [load] ladder")
    if load.profile is not None:
        _check_profile(load, f"{where}: [load] profile")
    elif not given and load.arrivals not in ("trace", None):
        raise InputError(
            f'{where}: [load] give rates or concurrency, or arrivals = "trace" to keep the trace\'s own times'
        )
    for field in _ABOVE_0:
        value = getattr(load, field)
        if value is not None and not 0 < value < math.inf:
            raise InputError(f"{where}: [load] {field} must be above 0, not {value}")
    for field in ("warmup_s", "max_retries", "retry_backoff_s"):
        value = getattr(load, field)
        if not 0 <= value < math.inf:
            raise InputError(f"{where}: [load] {field} must not be negative, not {value}")
    _check_sizes(load, where)


_ABOVE_0 = (
    *("requests", "duration_s", "burstiness", "max_in_flight", "queue_timeout_s", "request_timeout_s"),
    "workers",
)


def _check_sizes(load: LoadShape, where: str) -> None:
    for field, most in _AT_MOST.items():
        value = getattr(load, field)
        if value is not None and max(value if isinstance(value, list) else [value], default=0) > most:
            raise InputError(f"{where}: [load] {field} must be at most {most:,}")


_AT_MOST = {
    "max_retries": 100,
    "requests": 100_000_000,
    "concurrency": 1_000_000,
    "max_in_flight": 1_000_000_000,
    "workers": 1024,
}
"""More is surely a slip of the pen, and wouldn't fit the numbers that the load is computed with."""


def _check_profile(load: LoadShape, place: str) -> None:
    from workbench.traces import parse_profile  # noqa: PLC0415 - numpy; few files state a profile

    assert load.profile is not None
    try:
        parse_profile(load.profile)
    except InputError as error:
        raise InputError(f"{place}: {error}") from error
    if load.concurrency is not None:
        raise InputError(f"{place} means nothing with concurrency: a closed loop has no rate of its own")
    if load.arrivals == "trace":
        raise InputError(f'{place} replaces the trace\'s own times: leave arrivals out, or give "poisson"')


def _check_ladder(ladder: LadderShape, place: str) -> None:
    if not 0 < ladder.start < math.inf:
        raise InputError(f"{place} from must be above 0, not {ladder.start}")
    if not ladder.start <= ladder.to < math.inf:
        raise InputError(f"{place} to must be at least from ({ladder.start:g}), not {ladder.to}")
    if not _LEAST_FACTOR <= ladder.factor < math.inf:
        raise InputError(f"{place} factor must be at least {_LEAST_FACTOR}, not {ladder.factor}")
    if not 0 <= ladder.bisections <= 10:
        raise InputError(f"{place} bisections must be between 0 and 10, not {ladder.bisections}")


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


def _check_repeats(repeat: Repeats, where: str) -> None:
    if repeat.n < 1:
        raise InputError(f"{where}: [repeat] n must be at least 1, not {repeat.n}")


def _check_cost(cost: Cost | None, where: str) -> None:
    if cost is None:
        return
    if not 0 < cost.per_hour < math.inf:
        raise InputError(f"{where}: [cost] per_hour must be above 0, not {cost.per_hour}")
    for field in ("currency", "source"):
        if not getattr(cost, field).strip():
            raise InputError(f"{where}: [cost] {field} is empty")


def _check_size(experiment: "Experiment", where: str) -> None:
    rungs = experiment.load.rungs() or experiment.load.concurrency or [None]
    runs = (1 + len(experiment.control.values)) * len(rungs) * experiment.repeat.n
    if runs > MOST_RUNS:
        raise InputError(f"{where}: {runs:,} runs; at most {MOST_RUNS:,} make one experiment")


_TABLES = {"burst": "burst", "confirm": "second", "switchback": "switchback"}
"""Kinds that need a table of their own."""


def _check_kind(experiment: "Experiment", where: str) -> None:
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


def check_burst(burst: Burst, load: LoadShape, where: str) -> None:
    """Whether the burst fits into the load.

    Raises:
        InputError: it doesn't; names the field.
    """
    if not 1 < burst.factor < math.inf:
        raise InputError(f"{where}: [burst] factor must be above 1, not {burst.factor}")
    if not 0 < burst.seconds < math.inf:
        raise InputError(f"{where}: [burst] seconds must be above 0, not {burst.seconds}")
    if not 0 < burst.at < math.inf:
        raise InputError(f"{where}: [burst] at must be above 0, not {burst.at}: the normal rate comes first")
    if load.profile is not None:
        raise InputError(f'{where}: [load] profile means nothing with kind = "burst"')
    if load.rungs() is None or load.arrivals == "trace":
        raise InputError(
            f'{where}: [load] kind = "burst" needs rates with arrivals "poisson", "constant" or "gamma"'
        )
    if load.duration_s is None or load.duration_s <= burst.at + burst.seconds:
        raise InputError(
            f"{where}: [load] duration_s must be above {burst.at + burst.seconds:g} s, the burst's end, so"
            " that one sees how the queue empties"
        )


def _check_one_step(load: LoadShape, place: str) -> None:
    steps = load.rungs() or load.concurrency or [0.0]
    if len(steps) != 1:
        raise InputError(f"{place}: [load] one long run needs one rate, not {len(steps)}")
    if load.duration_s is None:
        raise InputError(f"{place}: [load] duration_s is missing: how long is it to go on?")


def _check_confirm(experiment: "Experiment", where: str) -> None:
    second, control = experiment.second, experiment.control
    assert second is not None
    if len(control.values) != 1:
        raise InputError(
            f"{where}: [control] values must be one value in a 2 by 2, not {len(control.values)}"
        )
    check_value(second.name, second.value, where=f"{where}: [second]")
    _check_changeable(experiment.target, second.name, f"{where}: [second]")
    if second.name == control.name:
        raise InputError(f"{where}: [second] name is [control]'s own; a 2 by 2 has two controls")
    if experiment.baseline.get(second.name) == second.value:
        raise InputError(f"{where}: [second] value {second.value} is the baseline's own {second.name}")
    alone: dict[str, Value] = {**experiment.baseline, second.name: second.value}
    for configuration in (alone, {**alone, control.name: control.values[0]}):
        check_interplay(configuration, where=f"{where}: [second]")


def _check_switchback(experiment: "Experiment", where: str) -> None:
    _check_one_step(experiment.load, f'{where}: kind = "switchback"')
    name, values, switchback = experiment.control.name, experiment.control.values, experiment.switchback
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
