"""Blocked head (R15): requests wait with sequences and KV cache free, and no prompt comes through."""

from workbench.advice.diagnosis.array_operations import Bools
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.conditions import BottleneckConditions
from workbench.advice.diagnosis.findings import Change
from workbench.advice.diagnosis.rule import BottleneckRule, RuleVerdict, largest, peak_load
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message


def _mask(conditions: BottleneckConditions) -> Bools:
    if conditions.closed_batch:
        return conditions.waits
    if conditions.step_reasons is not None:
        return conditions.deferred
    _, still = conditions.prefill_flows
    return still | (conditions.deferred & conditions.capacity_free)


def _judge(view: RunView, series: Series, mask: Bools) -> RuleVerdict:
    peak = peak_load(series, mask)
    if view.limits.get("static_batching") is True:
        return RuleVerdict(message("advice.closed_batch"), [peak], "high", _continuous())
    watch = message("advice.waiting_by_reason")
    deferred = largest(series.deferred, mask)
    if deferred:
        waiting = largest(series.waiting, mask) or deferred
        evidence = [message("advice.deferred_of", count=deferred, waiting=waiting), peak]
        change = advise(message("advice.deferred_change"), watch)
        return RuleVerdict(message("advice.deferred"), evidence, "high", change)
    change = advise(message("advice.blocked_head_change"), watch)
    return RuleVerdict(message("advice.blocked_head"), [peak], "medium", change)


def _continuous() -> Change:
    """Return the change that lets requests join at every step."""
    return Change(
        control="static_batching",
        value=False,
        text=message("advice.continuous_batching"),
        cost=message("advice.longer_steps"),
    )


RULE = BottleneckRule("R15", Bottleneck.BLOCKED_HEAD, _mask, _judge, "vLLM issues 11517, 13508")
