"""Rule R21: answers under way pause together while one long prompt is read in steps of their own length.

A second of such pauses is too short for the metrics page; the gaps of the streams show it.
"""

import numpy as np

from workbench.advice.diagnosis import changes, moments
from workbench.advice.diagnosis.bound_rules import Spoken
from workbench.advice.diagnosis.series import Series
from workbench.advice.diagnosis.view import RunView
from workbench.advice.diagnosis.words import millis

_LONG_TOKENS = 2048
"""A prompt that fills most of a step's budget."""
_LEAST_MS = 100.0
"""A pause that a reader notices (the guide's ITL targets begin at some tens of milliseconds)."""
_TIMES_USUAL = 8.0
_LEAST_STREAMS = 3
"""So many streams at once aren't a preemption's doing."""


def stuttering(view: RunView, series: Series) -> Spoken | None:
    """Three streams or more paused, many times longer than usual, while the same long prompt was read."""
    pauses = _pauses(view)
    if len(pauses) < _LEAST_STREAMS or moments.starved(view, series).any():
        return None
    columns = view.requests
    long = (columns.input_tokens >= _LONG_TOKENS) & ~np.isnan(columns.first_token) & ~np.isnan(columns.sent)
    hit: dict[int, float] = {}
    for index in np.flatnonzero(long):
        begin, end = columns.sent[index], columns.first_token[index]
        during = {
            stream: gap for stream, at, gap in pauses if stream != index and begin < at and at - gap < end
        }
        if len(during) >= _LEAST_STREAMS:
            for stream, gap in during.items():
                hit[stream] = max(gap, hit.get(stream, 0.0))
    if not hit:
        return None
    worst = millis(1000 * max(hit.values()) * view.time_scale)
    verdict = f"Long prompts make answers stutter: {len(hit)} paused for up to {worst} while one was read."
    evidence = [f"Prompts of {_LONG_TOKENS:,} tokens and more: {int(np.count_nonzero(long))}."]
    return Spoken(verdict, evidence, "high", changes.spare_decodes(view))


def _pauses(view: RunView) -> list[tuple[int, float, float]]:
    """Pauses far above the usual gap: request, wall second of their end, wall seconds they took."""
    gaps = [np.frombuffer(raw, dtype="<f4") for raw in view.requests.gaps_ms]
    every = np.concatenate(gaps) if gaps else np.empty(0)
    if not every.size:
        return []
    least = max(_LEAST_MS / view.time_scale, _TIMES_USUAL * float(np.median(every)))
    found = []
    for index, own in enumerate(gaps):
        if own.size and own.max() > least:
            ends = view.requests.first_token[index] + np.cumsum(own, dtype=np.float64) / 1000
            found += [(index, float(ends[i]), float(own[i]) / 1000) for i in np.flatnonzero(own > least)]
    return found
