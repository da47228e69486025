"""Sequence limit (R1): as many requests run as may, and others wait."""

import math

from workbench.advice.diagnosis.array_operations import Bools
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.changes import (
    advise,
    more_kv,
    pool_holds,
    requests_in_pool,
    set_control,
)
from workbench.advice.diagnosis.conditions import SEQUENCE_LIMITS, BottleneckConditions, sequence_limit
from workbench.advice.diagnosis.findings import Change, Confidence
from workbench.advice.diagnosis.rule import GUIDE, BottleneckRule, RuleVerdict, largest, mean, peak_load
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message

_ROOM = 0.9
"""More sequences only help while a tenth of the pool stays free."""
_LEAST_GAIN = 1.1


def _mask(conditions: BottleneckConditions) -> Bools:
    if conditions.closed_batch:
        return conditions.none
    if conditions.step_reasons is not None:
        return conditions.step_reasons[Bottleneck.SEQUENCES]
    return conditions.sequences_full & ~conditions.preempting


def _judge(view: RunView, series: Series, mask: Bools) -> RuleVerdict:
    limit = sequence_limit(view, series)
    change = more_sequences(view, series, mask)
    if limit is None:
        verdict = message("advice.sequence_plateau", count=largest(series.running, mask) or 0.0)
        return RuleVerdict(verdict, [peak_load(series, mask)], "low", change)
    verdict = message("advice.sequence_limit", name=limit[0], value=limit[1])
    confidence: Confidence = "medium" if largest(series.kv, mask) is None else "high"
    whole, evidence = requests_in_pool(view), [peak_load(series, mask)]
    if whole is not None and change.control in SEQUENCE_LIMITS and change.value == math.floor(whole):
        evidence.append(pool_holds(view))
    return RuleVerdict(verdict, evidence, confidence, change)


def more_sequences(view: RunView, series: Series, mask: Bools) -> Change:
    """Return the change that raises the limit as far as the KV pool has room."""
    limit = sequence_limit(view, series)
    if limit is None:
        return advise(message("advice.sequence_limit_find"), message("advice.running_requests"))
    name, value = limit[0], limit[1] / series.engines
    usage = mean(series.kv, mask)
    if usage is None or usage <= 0:
        return set_control(view, name, int(2 * value), message("advice.more_sequences_kv_unknown"))
    wanted = int(min(2 * value, value * _ROOM / usage))
    if wanted < _LEAST_GAIN * value:
        return more_kv(view, message("advice.pool_full_with", share=usage, count=value))
    whole = requests_in_pool(view)
    if whole is not None and value < math.floor(whole) < wanted:
        # The number that the evidence names.
        wanted = math.floor(whole)
    share = usage * wanted / value
    cost = message("advice.more_sequences_cost", share=share)
    if whole is not None and whole < wanted:
        cost = message("advice.more_sequences_preempt", share=share, count=whole)
    return set_control(view, name, wanted, cost)


RULE = BottleneckRule(
    "R1",
    Bottleneck.SEQUENCES,
    _mask,
    _judge,
    f"{GUIDE} 1; vLLM issue 13508",
    controls=SEQUENCE_LIMITS,
)
