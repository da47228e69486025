"""Admission limit (R11): the server rejects requests; between rejections it holds as many as allowed."""

import numpy as np

from workbench.advice.diagnosis.array_operations import Bools, around, at_least, recent_sum
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.changes import advise, set_control
from workbench.advice.diagnosis.conditions import RECENT, BottleneckConditions
from workbench.advice.diagnosis.findings import Change
from workbench.advice.diagnosis.limit_history import limit_over
from workbench.advice.diagnosis.rule import BottleneckRule, RuleVerdict, peak_load
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message

_LIMITS = ("max_num_queued_reqs", "max_num_queued_tokens")
_MORE = 1.5


def _mask(conditions: BottleneckConditions) -> Bools:
    view, series = conditions.view, conditions.series
    rejected = recent_sum(series.rejected, RECENT) > 0
    if rejected.any():
        inside = around(series.running + series.waiting, largest=True)
        rejected = rejected | at_least(inside, limit_over(view, "max_num_queued_reqs", series.t))
    return rejected & ~conditions.preempting


def _judge(view: RunView, series: Series, mask: Bools) -> RuleVerdict:
    count = float(np.nansum(series.rejected))
    limits = [
        message("advice.control_at", name=name, value=value)
        for name in _LIMITS
        if (value := view.limit(name)) is not None
    ]
    by = limits or [message("advice.an_admission_limit")]
    verdict = message("advice.admission", count=count, limits=by)
    return RuleVerdict(verdict, [peak_load(series, mask)], "high", _change(view))


def _change(view: RunView) -> Change:
    cost = message("advice.admission_cost")
    for name in _LIMITS:
        limit = view.limit(name)
        if limit is not None:
            change = set_control(view, name, max(int(limit) + 1, int(_MORE * limit)), cost)
            text = message("advice.admission_keep", change=change.text)
            return Change(control=name, value=change.value, text=text, cost=cost)
    return advise(message("advice.admission_find"), message("advice.rejection_rate"), cost)


RULE = BottleneckRule(
    "R11", Bottleneck.ADMISSION, _mask, _judge, "vLLM pull requests 49445, 55812", controls=_LIMITS
)
