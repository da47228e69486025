"""Token budget (R2): requests wait with sequences and KV cache free, and prompts come through."""

import numpy as np

from workbench.advice.diagnosis.array_operations import Bools
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.changes import prefill_is_full, set_control
from workbench.advice.diagnosis.conditions import BottleneckConditions, sequence_limit
from workbench.advice.diagnosis.findings import Change, Confidence
from workbench.advice.diagnosis.rule import GUIDE, BottleneckRule, RuleVerdict, peak_load
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message

_CONTROL = "max_num_batched_tokens"
_FLAT = 0.05
"""Variation of the prompt rate below which prefill is at its limit."""
_LARGEST = 16384
"""From here on a larger budget doesn't speed prefill up."""


def _mask(conditions: BottleneckConditions) -> Bools:
    if conditions.closed_batch:
        return conditions.none
    if conditions.step_reasons is not None:
        return conditions.step_reasons[Bottleneck.BUDGET]
    flowing, _ = conditions.prefill_flows
    return flowing


def _judge(view: RunView, series: Series, mask: Bools) -> RuleVerdict:
    rates = series.prompt_rate[mask & (series.prompt_rate > 0)]
    flat = len(rates) >= 3 and float(rates.std() / rates.mean()) < _FLAT
    evidence = [peak_load(series, mask)]
    if len(rates):
        rate = float(rates.mean())
        evidence.append(
            message("advice.prefill_flat", rate=rate) if flat else message("advice.prefill_around", rate=rate)
        )
    known = sequence_limit(view, series) is not None and not np.isnan(series.kv).all()
    confidence: Confidence = "high" if flat or view.step_waits else "medium" if known else "low"
    return RuleVerdict(message("advice.token_budget"), evidence, confidence, _change(view))


def _change(view: RunView) -> Change:
    budget = view.limit(_CONTROL)
    if budget is not None and budget >= _LARGEST:
        return prefill_is_full()
    cost = message("advice.longer_prefill_steps")
    if budget is None:
        return Change(control=_CONTROL, value=None, text=message("advice.raise_budget"), cost=cost)
    return set_control(view, _CONTROL, int(2 * budget), cost)


RULE = BottleneckRule(
    "R2", Bottleneck.BUDGET, _mask, _judge, f"{GUIDE} 2; vLLM pull request 37307", controls=(_CONTROL,)
)
