"""Livelock (R6): nothing runs, the pool is empty, and requests wait all the same."""

import numpy as np

from workbench.advice.diagnosis.array_operations import Bools, above, without_short
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.conditions import BottleneckConditions
from workbench.advice.diagnosis.rule import BottleneckRule, RuleVerdict, peak_load
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message

_LEAST_S = 5.0
_EMPTY = 0.001


def _mask(conditions: BottleneckConditions) -> Bools:
    series = conditions.series
    empty = (series.running == 0) & (np.nan_to_num(series.kv, nan=1.0) <= _EMPTY)
    return without_short(empty & above(series.waiting, 0), series.t, _LEAST_S)


def _judge(view: RunView, series: Series, mask: Bools) -> RuleVerdict:
    del view
    change = advise(message("advice.livelock_change"))
    return RuleVerdict(message("advice.livelock"), [peak_load(series, mask)], "high", change)


RULE = BottleneckRule("R6", Bottleneck.LIVELOCK, _mask, _judge, "vllm-metal issue 479")
