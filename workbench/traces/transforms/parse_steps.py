"""Transforms by name and text, in the order in which the user asks for them.

What options and dialogs offer.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from workbench.base import InputError
from workbench.traces.arrivals.rate_profile import FORMS, parse_profile
from workbench.traces.context_fit import HOW, fit_to_model
from workbench.traces.length_classes import parse_bands
from workbench.traces.trace import Trace
from workbench.traces.transforms.arrival_times import (
    speedup,
    spread_ticks,
    to_mean_rate,
    with_arrivals,
    with_profile,
)
from workbench.traces.transforms.select_rows import only_phase, replicate, sample, window, with_bands
from workbench.traces.transforms.session_timing import (
    closed_sessions,
    open_sessions,
    shuffle_sessions,
    stagger_sessions,
)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One transform as a user names it."""

    value: str | None
    """How its value reads, such as `FROM:TO`; None where it takes none."""
    help: str
    apply: Callable[[Trace, str, int], Trace]
    """From a trace, the value's text ("" for none) and the seed."""


def number(text: str, what: str) -> float:
    """A finite number.

    Raises:
        InputError: it isn't one.
    """
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if abs(value) == float("inf") or value != value:  # noqa: PLR0124 - NaN is the only number unlike itself
        raise InputError(f"{what} {text!r}: a number")
    return value


def _window(trace: Trace, text: str, seed: int) -> Trace:
    del seed
    begin, colon, end = text.partition(":")
    if not colon:
        raise InputError(f"window {text!r}: FROM:TO in seconds, such as 0:600")
    return window(trace, number(begin, "window"), number(end, "window"))


def _fit(trace: Trace, text: str, seed: int) -> Trace:
    del seed
    length, _, how = text.partition(":")
    if not length.isascii() or not length.isdigit() or how not in HOW:
        raise InputError(f"fit {text!r}: TOKENS:HOW, HOW one of {', '.join(HOW)}, such as 4096:drop")
    return fit_to_model(trace, int(length), how)[0]


def _sessions(trace: Trace, text: str, seed: int) -> Trace:
    del seed
    kind, colon, think = text.partition(":")
    if kind == "open" and not colon:
        return open_sessions(trace)
    if kind != "closed":
        raise InputError(f"sessions {text!r}: open, closed or closed:THINK_MS")
    return closed_sessions(trace, think_ms=number(think, "think time") if colon else None)


def _replicate(trace: Trace, text: str, seed: int) -> Trace:
    match = re.fullmatch(r"(\d{1,5})(:overlay)?(:same-prefixes)?", text, re.ASCII)
    if match is None:
        raise InputError(f"replicate {text!r}: COPIES, then :overlay or :same-prefixes if wanted")
    overlay, same = match[2] is not None, match[3] is not None
    return replicate(trace, int(match[1]), overlay=overlay, same_prefixes=same, seed=seed)


def _arrivals(trace: Trace, text: str, seed: int) -> Trace:
    process, colon, burstiness = text.partition(":")
    return with_arrivals(
        trace, process, burstiness=number(burstiness, "burstiness") if colon else 1.0, seed=seed
    )


def _spread(trace: Trace, text: str, seed: int) -> Trace:
    return spread_ticks(trace, tick_ms=None if text in {"", "auto"} else number(text, "tick"), seed=seed)


STEPS: dict[str, Step] = {
    "speedup": Step(
        value="FACTOR",
        help="divide all times by FACTOR (the trace's identity stays)",
        apply=lambda trace, text, _: speedup(trace, number(text, "speedup")),
    ),
    "rate": Step(
        value="R",
        help="scale all times to a mean of R requests/s (the trace's identity stays)",
        apply=lambda trace, text, _: to_mean_rate(trace, number(text, "rate")),
    ),
    "spread-ticks": Step(
        value="MS",
        help="spread requests that share a time over the tick of MS that follows it; auto: the commonest gap",
        apply=_spread,
    ),
    "window": Step(value="FROM:TO", help="keep what arrives in these seconds", apply=_window),
    "sample": Step(
        value="SHARE",
        help="keep a random share of the sessions, whole",
        apply=lambda trace, text, seed: sample(trace, number(text, "sample"), seed=seed),
    ),
    "fit": Step(
        value="TOKENS:HOW",
        help="refuse, drop or clamp requests longer than TOKENS, prompt and output together",
        apply=_fit,
    ),
    "sessions": Step(
        value="KIND",
        help="open: every turn at its own time; closed[:THINK_MS]: after the end of the turn before it",
        apply=_sessions,
    ),
    "stagger": Step(
        value="RATE",
        help="let sessions begin by a Poisson process of RATE a second",
        apply=lambda trace, text, seed: stagger_sessions(trace, number(text, "stagger"), seed=seed),
    ),
    "shuffle-sessions": Step(
        value=None,
        help="let sessions change places",
        apply=lambda trace, _, seed: shuffle_sessions(trace, seed=seed),
    ),
    "replicate": Step(
        value="COPIES",
        help="COPIES one after another; COPIES:overlay at once; :same-prefixes shares prefixes between them",
        apply=_replicate,
    ),
    "phase": Step(
        value="PHASE",
        help="keep the prefill-heavy or the decode-heavy requests only: prefill or decode",
        apply=lambda trace, text, _: only_phase(trace, text),
    ),
    "arrivals": Step(
        value="PROCESS",
        help="replace the times by poisson, constant or gamma:BURSTINESS arrivals of the same mean rate",
        apply=_arrivals,
    ),
    "profile": Step(
        value="PROFILE",
        help=f"a rate that changes over time: {FORMS}",
        apply=lambda trace, text, _: with_profile(trace, parse_profile(text)),
    ),
    "bands": Step(
        value="EDGES",
        help="class all requests by prompt length, such as 512,2048,8192",
        apply=lambda trace, text, _: with_bands(trace, parse_bands(text)),
    ),
}
"""By the name that options and recorded steps use."""
