"""One request owns the pool (R14): it runs alone with half of the KV cache or more, and others wait."""

from workbench.advice.diagnosis.array_operations import Bools
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.conditions import BottleneckConditions
from workbench.advice.diagnosis.rule import BottleneckRule, RuleVerdict, largest, peak_load
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message


def _mask(conditions: BottleneckConditions) -> Bools:
    return conditions.one_request


def _judge(view: RunView, series: Series, mask: Bools) -> RuleVerdict:
    del view
    verdict = message("advice.one_request", share=largest(series.kv, mask) or 0.0)
    change = advise(message("advice.one_request_change"), message("advice.running_and_kv"))
    return RuleVerdict(verdict, [peak_load(series, mask)], "medium", change)


RULE = BottleneckRule("R14", Bottleneck.ONE_REQUEST, _mask, _judge, "llm-scaler issue 391")
