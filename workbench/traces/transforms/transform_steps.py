"""Transforms by name and text, as options and dialogs offer them.

What options and dialogs offer.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from workbench.base import Message, Place, Refusal, message
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
class TransformStep:
    """One transform as a user names it."""

    value: str | None
    """Form of its value, such as `FROM:TO`; None if it takes none."""
    help: Message
    apply: Callable[[Trace, str, int], Trace]
    """Gets a trace, the value's text ("" for none) and the seed."""


def finite_number(text: str, key: str) -> float:
    """Return the finite number in `text`.

    Raises:
        Refusal: `text` is no finite number.
    """
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if abs(value) == float("inf") or value != value:  # noqa: PLR0124 - NaN is the only number unlike itself
        raise Refusal("base.not_a_number", Place(key=key), text=text)
    return value


def _window(trace: Trace, text: str, seed: int) -> Trace:
    del seed
    begin, colon, end = text.partition(":")
    if not colon:
        raise Refusal("traces.window_form", Place(key="window"), text=text)
    return window(trace, finite_number(begin, "window"), finite_number(end, "window"))


def _fit(trace: Trace, text: str, seed: int) -> Trace:
    del seed
    length, _, how = text.partition(":")
    if not length.isascii() or not length.isdigit() or how not in HOW:
        raise Refusal("traces.fit_form", Place(key="fit"), text=text, choices=HOW)
    return fit_to_model(trace, int(length), how)[0]


def _sessions(trace: Trace, text: str, seed: int) -> Trace:
    del seed
    kind, colon, think = text.partition(":")
    if kind == "open" and not colon:
        return open_sessions(trace)
    if kind != "closed":
        raise Refusal("traces.sessions_form", Place(key="sessions"), text=text)
    return closed_sessions(trace, think_ms=finite_number(think, "sessions") if colon else None)


def _replicate(trace: Trace, text: str, seed: int) -> Trace:
    match = re.fullmatch(r"(\d{1,5})(:overlay)?(:same-prefixes)?", text, re.ASCII)
    if match is None:
        raise Refusal("traces.replicate_form", Place(key="replicate"), text=text)
    overlay, same = match[2] is not None, match[3] is not None
    return replicate(trace, int(match[1]), overlay=overlay, same_prefixes=same, seed=seed)


def _arrivals(trace: Trace, text: str, seed: int) -> Trace:
    process, colon, burstiness = text.partition(":")
    return with_arrivals(
        trace, process, burstiness=finite_number(burstiness, "burstiness") if colon else 1.0, seed=seed
    )


def _spread(trace: Trace, text: str, seed: int) -> Trace:
    return spread_ticks(
        trace, tick_ms=None if text in {"", "auto"} else finite_number(text, "spread-ticks"), seed=seed
    )


STEPS: dict[str, TransformStep] = {
    "speedup": TransformStep(
        value="FACTOR",
        help=message("traces.step_speedup"),
        apply=lambda trace, text, _: speedup(trace, finite_number(text, "speedup")),
    ),
    "rate": TransformStep(
        value="R",
        help=message("traces.step_rate"),
        apply=lambda trace, text, _: to_mean_rate(trace, finite_number(text, "rate")),
    ),
    "spread-ticks": TransformStep(
        value="MS",
        help=message("traces.step_spread_ticks"),
        apply=_spread,
    ),
    "window": TransformStep(value="FROM:TO", help=message("traces.step_window"), apply=_window),
    "sample": TransformStep(
        value="SHARE",
        help=message("traces.step_sample"),
        apply=lambda trace, text, seed: sample(trace, finite_number(text, "sample"), seed=seed),
    ),
    "fit": TransformStep(
        value="TOKENS:HOW",
        help=message("traces.step_fit"),
        apply=_fit,
    ),
    "sessions": TransformStep(
        value="KIND",
        help=message("traces.step_sessions"),
        apply=_sessions,
    ),
    "stagger": TransformStep(
        value="RATE",
        help=message("traces.step_stagger"),
        apply=lambda trace, text, seed: stagger_sessions(trace, finite_number(text, "stagger"), seed=seed),
    ),
    "shuffle-sessions": TransformStep(
        value=None,
        help=message("traces.step_shuffle_sessions"),
        apply=lambda trace, _, seed: shuffle_sessions(trace, seed=seed),
    ),
    "replicate": TransformStep(
        value="COPIES",
        help=message("traces.step_replicate"),
        apply=_replicate,
    ),
    "phase": TransformStep(
        value="PHASE",
        help=message("traces.step_phase"),
        apply=lambda trace, text, _: only_phase(trace, text),
    ),
    "arrivals": TransformStep(
        value="PROCESS",
        help=message("traces.step_arrivals"),
        apply=_arrivals,
    ),
    "profile": TransformStep(
        value="PROFILE",
        help=message("traces.step_profile", forms=FORMS),
        apply=lambda trace, text, _: with_profile(trace, parse_profile(text)),
    ),
    "bands": TransformStep(
        value="EDGES",
        help=message("traces.step_bands"),
        apply=lambda trace, text, _: with_bands(trace, parse_bands(text)),
    ),
}
"""Transforms by the name that options and recorded steps use."""
