"""Whether a plan's runs have enough requests for the figures that they are to give, before they are run."""

import math

import numpy as np

from workbench.base import Message, Value, message
from workbench.experiments.plan.plan import Plan
from workbench.experiments.plan.workload import make_schedule
from workbench.experiments.spec.experiment import Experiment
from workbench.results import sample_floor
from workbench.traces import Schedule, Trace

_P95, _P99 = sample_floor(0.95), sample_floor(0.99)


def too_few_planned(plan: Plan, trace: Trace) -> list[Message]:
    """Say for each step of the load which percentiles its runs can't give, and what would be enough.

    A run of fewer than 72 requests has no p95, one of fewer than 368 no p99. How many requests a closed loop
    of a given duration sends isn't known before.
    """
    first = plan.experiments[0]
    found: list[Message] = []
    for rate, concurrency in {(run.rate, run.concurrency): None for run in plan.runs}:
        schedule = make_schedule(trace, first.trace, first.load, rate, concurrency, first.burst)
        if concurrency is not None and schedule.requests is None:
            continue
        pace = _pace(rate, concurrency)
        length_s = len(schedule) / rate if rate else schedule.length_s
        found += _of_all(len(schedule), pace, length_s)
        found += _of_classes(plan, trace, schedule, pace)
    return found


def _pace(rate: float | None, concurrency: int | None) -> Message:
    if rate is not None:
        return message("experiments.at_rate", rate=rate)
    if concurrency is not None:
        return message("experiments.at_once", requests=concurrency)
    return message("experiments.at_own_times")


def _of_all(requests: int, pace: Message, length_s: float | None) -> list[Message]:
    if requests >= _P99 or not requests:
        return []
    if length_s is None:
        kind = "experiments.few_for_p99" if requests >= _P95 else "experiments.few_for_p95"
        return [Message(kind=kind, values={"pace": pace, "requests": requests, "p95": _P95, "p99": _P99})]
    p95_s, p99_s = (math.ceil(length_s * floor / requests) for floor in (_P95, _P99))
    values: dict[str, Value] = {"pace": pace, "requests": requests, "p95": _P95, "p99": _P99}
    values |= {"p95_s": p95_s, "p99_s": p99_s}
    kind = "experiments.short_for_p99" if requests >= _P95 else "experiments.short_for_p95"
    return [Message(kind=kind, values=values)]


def _of_classes(plan: Plan, trace: Trace, schedule: Schedule, pace: Message) -> list[Message]:
    """The same of the classes that have latency objectives of their own, which are p95."""
    codes, names = trace.classes.codes, list(trace.classes.names)
    rows = np.asarray(schedule.rows)
    found = []
    for name in _judged(plan.experiments):
        if name not in names:
            continue
        requests = int((codes[rows] == names.index(name)).sum())
        if requests < _P95:
            found.append(
                message("experiments.class_too_small", pace=pace, name=name, requests=requests, p95=_P95)
            )
    return found


def _judged(experiments: list[Experiment]) -> list[str]:
    return list(dict.fromkeys(name for each in experiments for name in each.objectives.classes))
