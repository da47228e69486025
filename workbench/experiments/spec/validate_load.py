"""Whether a trace can be chosen so, and a load be applied so."""

import math
from collections.abc import Sequence

from workbench.base import InputError, Place, Refusal
from workbench.experiments.spec.finite import require_finite
from workbench.experiments.spec.tables import Burst, LadderShape, LoadShape, TraceChoice

_LEAST_FACTOR = 1.01
_MOST_SEED = 2**63 - 1


def check_trace(trace: TraceChoice, where: str) -> None:
    """Whether the choice of a trace is one.

    Raises:
        InputError: it isn't.
    """
    require_finite(trace, "trace", where)
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
    if trace.time_unit is not None and trace.file is None:
        raise Refusal("traces.unit_needs_file", Place(file=where, table="trace", key="time_unit"))
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
    require_finite(load, "load", where)
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


_YEAR_S = 31_536_000
_MOST_RATE = 1_000_000
_AT_MOST = {
    "duration_s": _YEAR_S,
    "warmup_s": _YEAR_S,
    "queue_timeout_s": _YEAR_S,
    "request_timeout_s": _YEAR_S,
    "retry_backoff_s": _YEAR_S,
    "rates": _MOST_RATE,
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
    if ladder.to > _MOST_RATE:
        raise InputError(f"{place} to must be at most {_MOST_RATE:,}, not {ladder.to:g}")
    if not _LEAST_FACTOR <= ladder.factor < math.inf:
        raise InputError(f"{place} factor must be at least {_LEAST_FACTOR}, not {ladder.factor}")
    if not 0 <= ladder.bisections <= 10:
        raise InputError(f"{place} bisections must be between 0 and 10, not {ladder.bisections}")


def check_burst(burst: Burst, load: LoadShape, where: str) -> None:
    """Whether the burst fits into the load.

    Raises:
        InputError: it doesn't; names the field.
    """
    require_finite(burst, "burst", where)
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
