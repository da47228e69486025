"""Front end (R17): many requests were sent that the scheduler, which has room, doesn't know yet."""

import numpy as np

from workbench.advice.diagnosis.array_operations import Bools, above, around, at_least
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.conditions import BottleneckConditions
from workbench.advice.diagnosis.evidence import machine_samples, median_of
from workbench.advice.diagnosis.rule import GUIDE, BottleneckRule, RuleVerdict, largest
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message

_LEAST, _LEAST_SHARE = 3, 0.3
_BUSY, _QUIET = 0.85, 0.5
"""Shares of one core, because Python runs on one: above the first, tokenization can't keep up; below the
second, it isn't the cause."""


def _mask(conditions: BottleneckConditions) -> Bools:
    series = conditions.series
    missing = series.in_flight - (series.running + series.waiting)
    room = ~above(series.waiting, 0) & ~np.isnan(series.waiting)
    room &= ~at_least(series.running, conditions.sequence_limits)
    many = at_least(around(missing, largest=False), _LEAST)
    return room & many & above(missing - _LEAST_SHARE * series.in_flight, 0)


def _judge(view: RunView, series: Series, mask: Bools) -> RuleVerdict:
    outside = largest(series.in_flight - series.running - series.waiting, mask) or 0.0
    evidence = [message("advice.unknown_to_scheduler", count=outside)]
    cores = median_of(machine_samples(view, series, mask), lambda sample: sample.api_cpu)
    more = advise(message("advice.front_end_change"), message("advice.cpu_and_ttft"))
    if cores is None:
        return RuleVerdict(message("advice.before_scheduler"), evidence, "medium", more)
    evidence.append(message("advice.http_process", cores=cores))
    if cores >= _BUSY:
        return RuleVerdict(message("advice.front_end_busy"), evidence, "high", more)
    if cores < _QUIET:
        nearer = advise(message("advice.measure_nearby"), message("advice.ttft_against_queue"))
        return RuleVerdict(message("advice.network_or_proxy"), evidence, "medium", nearer)
    return RuleVerdict(message("advice.before_scheduler"), evidence, "medium", more)


RULE = BottleneckRule("R17", Bottleneck.FRONT_END, _mask, _judge, f"{GUIDE} 1 and 5; vLLM issue 4806")
