"""Decode starved by prefill (R7): requests decode, others prefill, and hardly a token comes out."""

import numpy as np

from workbench.advice.diagnosis.array_operations import Bools, above, around, at_least, recent_sum
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.changes import prefill_is_full, set_control
from workbench.advice.diagnosis.conditions import RECENT, BottleneckConditions
from workbench.advice.diagnosis.findings import Change, Confidence
from workbench.advice.diagnosis.rule import BottleneckRule, RuleVerdict
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message

_STARVED = 0.1
"""Share of the run's median output below which decoding is starved."""
_LEAST_SAMPLES = 8
_CONTROLS = ("long_prefill_token_threshold", "max_num_batched_tokens")
_LEAST_THRESHOLD, _LEAST_BUDGET = 16, 512


def starved(conditions: BottleneckConditions) -> Bools:
    """Return the moments at which running prefill stops the output."""
    view, series = conditions.view, conditions.series
    known = len(view.requests) > 0
    among = series.decoding if known else series.running
    each = series.output_rate / np.where(above(among, 0), among, np.nan)
    lively = each[above(each, 0)]
    if len(lively) < _LEAST_SAMPLES:
        return conditions.none
    slow = ~at_least(each, _STARVED * float(np.median(lively))) & ~np.isnan(each)
    if known:
        return slow & above(series.decoding, 0) & above(series.in_flight - series.decoding, 0)
    # Without requests: nobody finished meanwhile, and more prompts come through than usual.
    busy = series.prompt_rate[above(series.prompt_rate, 0)]
    prompts = at_least(
        around(series.prompt_rate, largest=True), float(np.median(busy)) if len(busy) else np.inf
    )
    return slow & prompts & above(series.running, 1) & ~above(recent_sum(series.succeeded, RECENT), 0)


def _judge(view: RunView, series: Series, mask: Bools) -> RuleVerdict:
    usual = series.output_rate[series.output_rate > 0]
    typical = float(np.median(usual)) if len(usual) else 0.0
    slow = float(np.nanmedian(series.output_rate[mask]))
    evidence = [message("advice.decode_starved_rate", rate=slow, usual=typical)]
    confidence: Confidence = "high" if len(view.requests) else "medium"
    return RuleVerdict(message("advice.decode_starved"), evidence, confidence, spare_decodes(view))


def spare_decodes(view: RunView) -> Change:
    """Return the change that keeps prefill from filling whole steps."""
    cost = message("advice.long_prompts_slower")
    threshold = view.limit("long_prefill_token_threshold") or 0
    budget = view.limit("max_num_batched_tokens")
    if not threshold:
        value = 1024 if budget is None else max(_LEAST_THRESHOLD, int(budget // 4))
        return set_control(view, "long_prefill_token_threshold", value, cost)
    if budget is not None and budget > _LEAST_BUDGET:
        value = int(max(_LEAST_BUDGET, budget // 2))
        return set_control(view, "max_num_batched_tokens", value, cost)
    if threshold <= _LEAST_THRESHOLD:
        return prefill_is_full()
    value = int(max(_LEAST_THRESHOLD, threshold // 2))
    return set_control(view, "long_prefill_token_threshold", value, cost)


RULE = BottleneckRule(
    "R7",
    Bottleneck.DECODE_STARVED,
    starved,
    _judge,
    "vLLM issues 4252, 8086; qwen3.8-Flash-DGX issue 9",
    controls=_CONTROLS,
)
