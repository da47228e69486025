"""R21: answers pause together while one long prompt is processed in steps of its own length.

A second of such pauses is too short for the metrics page; the gaps of the streams show it.
"""

import numpy as np

from workbench.advice.diagnosis.bottlenecks.decode_starved import spare_decodes, starved
from workbench.advice.diagnosis.conditions import BottleneckConditions
from workbench.advice.diagnosis.rule import RuleVerdict, RunRule
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message

_LONG_TOKENS = 2048
"""A prompt that fills most of a step's budget."""
_LEAST_MS = 100.0
"""A pause that a reader notices (the guide's ITL targets begin at some tens of milliseconds)."""
_TIMES_USUAL = 8.0
_LEAST_STREAMS = 3
"""Streams that must pause at once; fewer may have been preempted."""


def _judge(view: RunView, series: Series) -> RuleVerdict | None:
    """Find three streams or more that pause, many times longer than usual, during the same long prompt."""
    pauses = _pauses(view)
    if len(pauses) < _LEAST_STREAMS or starved(BottleneckConditions(view, series)).any():
        return None
    columns = view.requests
    long = (columns.input_tokens >= _LONG_TOKENS) & ~np.isnan(columns.first_token) & ~np.isnan(columns.sent)
    longest: dict[int, float] = {}
    for index in np.flatnonzero(long):
        begin, end = columns.sent[index], columns.first_token[index]
        during = {
            stream: gap for stream, at, gap in pauses if stream != index and begin < at and at - gap < end
        }
        if len(during) >= _LEAST_STREAMS:
            for stream, gap in during.items():
                longest[stream] = max(gap, longest.get(stream, 0.0))
    if not longest:
        return None
    worst = 1000 * max(longest.values()) * view.time_scale
    verdict = message("advice.stutter", streams=len(longest), pause_ms=worst)
    count = int(np.count_nonzero(long))
    evidence = [message("advice.long_prompts", tokens=_LONG_TOKENS, count=count)]
    return RuleVerdict(verdict, evidence, "high", spare_decodes(view))


def _pauses(view: RunView) -> list[tuple[int, float, float]]:
    """Return pauses far above the usual gap: request, wall second of the end, wall seconds of the pause."""
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


RULE = RunRule("R21", _judge, "vLLM issues 4252, 8086")
