"""R8: the load generator sent late, so the run is not valid."""

import numpy as np

from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.evidence import FULL_HOST
from workbench.advice.diagnosis.rule import RuleVerdict, RunRule
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import Message, message
from workbench.results import client_delay_limit_ms, stored_reasons


def _judge(view: RunView, series: Series) -> RuleVerdict | None:
    """Judge by validity's limit in wall time: the load generator's clock is not simulated."""
    del series
    found = _delay(view)
    if found is None:
        return None
    change = advise(_change(view), message("advice.client_delay"))
    return RuleVerdict(message("advice.client_bound", found=found), [], "high", change)


def _delay(view: RunView) -> Message | str | None:
    """Return the delay and its limit; None: within the limit.

    Few requests have no p99 of their own; their run's validity has the text.
    """
    delay, ttft = view.figure("client_delay_ms", "p99"), view.figure("ttft_ms", "p95")
    if delay is not None:
        delay, limit = delay / view.time_scale, client_delay_limit_ms((ttft or 0.0) / view.time_scale)
        if delay > limit:
            return message("advice.delay_above", delay=delay, limit=limit)
    reasons = (reason for reason in stored_reasons(view.figures) if reason.kind == "results.client_bound")
    return next((_found(reason.values["found"]) for reason in reasons), None)


def _found(value: object) -> Message | str:
    return value if isinstance(value, Message) else str(value)


def _change(view: RunView) -> Message:
    """Return the remedy: more workers need free cores, and don't help if the simulated clock is too fast."""
    if view.time_scale > 1:
        return message("advice.time_scale_1")
    known = [sample.host_cpu for sample in view.machine if sample.host_cpu is not None]
    if known and float(np.median(known)) >= FULL_HOST:
        return message("advice.another_machine", share=float(np.median(known)))
    return message("advice.more_workers")


RULE = RunRule("R8", _judge, "definitions, validity; vLLM issue 39963")
