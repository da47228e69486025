"""The client's own limit (R16): the server has room, and the client holds requests back."""

import numpy as np

from workbench.advice.diagnosis.array_operations import Bools, above, around, at_least
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.changes import advise, set_control
from workbench.advice.diagnosis.conditions import BottleneckConditions
from workbench.advice.diagnosis.findings import Change
from workbench.advice.diagnosis.rule import GUIDE, BottleneckRule, RuleVerdict, largest, peak_load
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message


def _mask(conditions: BottleneckConditions) -> Bools:
    view, series = conditions.view, conditions.series
    room = ~above(series.waiting, 0) & ~np.isnan(series.waiting)
    held_back = above(around(series.held, largest=False), 0)
    if view.concurrency is None:
        return room & held_back
    return room & (held_back | at_least(around(series.in_flight, largest=True), view.concurrency))


def _judge(view: RunView, series: Series, mask: Bools) -> RuleVerdict:
    limit, count = view.limit("max_in_flight"), largest(series.held, mask) or 0.0
    if limit is not None:
        verdict, evidence = (
            message("advice.client_cap", value=limit),
            message("advice.client_held", count=count),
        )
    elif view.concurrency is not None:
        verdict, evidence = message("advice.closed_load", count=view.concurrency), peak_load(series, mask)
    else:
        verdict, evidence = message("advice.client_late"), message("advice.client_unsent", count=count)
    return RuleVerdict(verdict, [evidence], "high", _change(view))


def _change(view: RunView) -> Change:
    watch, limit = message("advice.running_waiting_ttft"), view.limit("max_in_flight")
    if limit is not None:
        return set_control(view, "max_in_flight", int(2 * limit), message("advice.wait_in_server"))
    if view.concurrency is not None:
        text = message("advice.more_concurrency", now=view.concurrency, then=2 * view.concurrency)
        return advise(text, watch, message("advice.another_load"))
    return advise(message("advice.more_open_requests"), watch)


RULE = BottleneckRule("R16", Bottleneck.CLIENT, _mask, _judge, f"{GUIDE} 5; vLLM issue 13412")
