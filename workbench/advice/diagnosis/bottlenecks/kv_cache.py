"""KV cache (R3): running requests are preempted, or waiting ones don't fit the free blocks."""

import math

import numpy as np

from workbench.advice.diagnosis.array_operations import Bools
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.changes import more_kv, pool_holds, requests_in_pool, set_control
from workbench.advice.diagnosis.conditions import (
    KV_FULL,
    SEQUENCE_LIMITS,
    BottleneckConditions,
    sequence_limit,
)
from workbench.advice.diagnosis.evidence import longest_pause
from workbench.advice.diagnosis.findings import Change, Confidence
from workbench.advice.diagnosis.rule import GUIDE, BottleneckRule, RuleVerdict, largest, mean, peak_load
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message

_ROOM = 0.9


def _mask(conditions: BottleneckConditions) -> Bools:
    if conditions.step_reasons is not None:
        return conditions.step_reasons[Bottleneck.KV_CACHE] | conditions.preempting
    return conditions.kv_short


def _judge(view: RunView, series: Series, mask: Bools) -> RuleVerdict:
    count = float(np.nansum(series.preempted[BottleneckConditions(view, series).preempting]))
    full = largest(series.kv, mask)
    evidence = [peak_load(series, mask)]
    if count:
        pause = longest_pause(view)
        if pause is not None:
            evidence.append(message("advice.longest_pause", pause_ms=pause))
        if fitting_sequences(view, series) is not None:
            evidence.append(pool_holds(view))
        verdict = message("advice.preemptions", count=count)
        return RuleVerdict(verdict, evidence, "high", fewer_sequences(view, series, mask))
    if full is not None and full >= KV_FULL:
        change = more_kv(view, message("advice.wait_for_blocks"))
        return RuleVerdict(message("advice.kv_full"), evidence, "high", change)
    confidence: Confidence = "high" if view.step_waits else "medium"
    change = more_kv(view, message("advice.long_prompts_wait"))
    return RuleVerdict(message("advice.kv_next_prompt"), evidence, confidence, change)


def fewer_sequences(view: RunView, series: Series, mask: Bools) -> Change:
    """Return the change that lowers the limit to what the pool holds, the number in the evidence if any."""
    named = fitting_sequences(view, series)
    level = _sequences_seen(series, mask) if named is None else named
    limit = _limit_of_an_engine(view, series)
    if limit is not None and limit <= 1:
        return more_kv(view, message("advice.wait_for_blocks"))
    if limit is not None:
        level = min(level, limit - 1)
    return set_control(view, "max_num_seqs", level, message("advice.fewer_sequences_cost"))


def fitting_sequences(view: RunView, series: Series) -> int | None:
    """Return the number of whole requests that the pool holds, if below the limit.

    None: unknown, or fewer ran and the pool was full all the same, so the number explains nothing.
    """
    whole, limit = requests_in_pool(view), _limit_of_an_engine(view, series)
    if whole is None or whole < 1:
        return None
    fitting = math.floor(whole)
    return fitting if limit is None or fitting < limit else None


def _sequences_seen(series: Series, mask: Bools) -> int:
    """Return the requests that fit nine tenths of the pool, by those that ran and its usage."""
    running, usage = mean(series.running, mask), mean(series.kv, mask)
    return max(1, math.floor((running or 1) / series.engines * _ROOM / max(usage or 1.0, _ROOM)))


def _limit_of_an_engine(view: RunView, series: Series) -> int | None:
    limit = sequence_limit(view, series)
    return None if limit is None else math.floor(limit[1] / series.engines)


RULE = BottleneckRule(
    "R3",
    Bottleneck.KV_CACHE,
    _mask,
    _judge,
    f"{GUIDE} 4; vLLM issues 18115, 43295",
    controls=SEQUENCE_LIMITS,
)
