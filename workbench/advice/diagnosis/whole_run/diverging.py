"""R19: the queue never settles, so TTFT depends on the run's length."""

from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.rule import RuleVerdict, RunRule
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message


def _judge(view: RunView, series: Series) -> RuleVerdict | None:
    del series
    if view.figures.get("diverging") is not True:
        return None
    offered, done = view.figure("offered_rps"), view.figure("completed_rps")
    evidence = []
    if offered is not None and done is not None:
        evidence.append(message("advice.offered_completed", offered=offered, completed=done))
    change = advise(message("advice.lower_rate_too"), message("advice.ttft_over_time"))
    return RuleVerdict(message("advice.diverging"), evidence, "high", change)


RULE = RunRule("R19", _judge, "definitions, divergence")
