"""R4: the KV cache fills within 300 s while no request waits, so preemptions lie ahead."""

import numpy as np

from workbench.advice.diagnosis.bottlenecks.kv_cache import fewer_sequences, fitting_sequences
from workbench.advice.diagnosis.changes import pool_holds
from workbench.advice.diagnosis.conditions import BottleneckConditions
from workbench.advice.diagnosis.rule import RuleVerdict, RunRule
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message

_AHEAD_S = 300.0
_LEAST_SAMPLES = 5
_LEAST_KV = 0.7


def _judge(view: RunView, series: Series) -> RuleVerdict | None:
    last = slice(max(0, len(series) - max(_LEAST_SAMPLES, len(series) // 3)), len(series))
    t, kv = series.t[last], series.kv[last]
    if len(t) < _LEAST_SAMPLES or np.isnan(kv).any() or kv[-1] < _LEAST_KV or series.running[-1:] == 0:
        return None
    if BottleneckConditions(view, series).waits[last].any() or np.nansum(series.preempted[last]) > 0:
        return None
    slope, start = np.polyfit(t - t[-1], kv, 1)
    spread = float(np.sqrt(np.mean((kv - (start + slope * (t - t[-1]))) ** 2)))
    grown = float(slope * (t[-1] - t[0]))
    if slope <= 0 or grown < 3 * spread:
        return None
    left = float((1 - kv[-1]) / slope)
    if left > _AHEAD_S:
        return None
    span = float(t[-1] - t[0])
    evidence = [message("advice.kv_grows", before=float(kv[0]), after=float(kv[-1]), span_s=span)]
    if fitting_sequences(view, series) is not None:
        evidence.append(pool_holds(view))
    mask = np.zeros(len(series), dtype=np.bool_)
    mask[last] = True
    verdict = message("advice.kv_forecast", left_s=left)
    return RuleVerdict(verdict, evidence, "medium", fewer_sequences(view, series, mask))


RULE = RunRule("R4", _judge, "vLLM issue 18115")
