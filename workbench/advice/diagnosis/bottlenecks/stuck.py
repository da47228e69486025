"""Stuck (R5): requests are in the server, and for a minute of wall time no token comes and none finishes."""

import numpy as np

from workbench.advice.diagnosis.array_operations import Bools, Floats, above, without_short
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.conditions import BottleneckConditions
from workbench.advice.diagnosis.rule import BottleneckRule, RuleVerdict, peak_load
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message

_LEAST_S = 60.0


def _mask(conditions: BottleneckConditions) -> Bools:
    series = conditions.series
    present = above(np.nan_to_num(series.running) + np.nan_to_num(series.waiting), 0)
    quiet = present & (_constant(series.output_tokens) & _constant(series.succeeded_total))
    return without_short(quiet, series.t, _LEAST_S * conditions.view.time_scale)


def _constant(total: Floats) -> Bools:
    """Return the moments at which a known counter hasn't grown since the previous sample."""
    if not len(total):
        return np.zeros(0, dtype=np.bool_)
    return np.asarray(np.diff(total, prepend=total[:1]) == 0, dtype=np.bool_)


def _judge(view: RunView, series: Series, mask: Bools) -> RuleVerdict:
    del view
    change = advise(message("advice.stuck_change"))
    return RuleVerdict(message("advice.stuck"), [peak_load(series, mask)], "high", change)


RULE = BottleneckRule("R5", Bottleneck.STUCK, _mask, _judge, "vLLM issues 2731, 17972, 53130")
