"""R18: a counter of the server shrank, so it was restarted during the run."""

from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.rule import RuleVerdict, RunRule
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message


def _judge(view: RunView, series: Series) -> RuleVerdict | None:
    del view
    if not series.restarted:
        return None
    return RuleVerdict(message("advice.restarted"), [], "high", advise(message("advice.repeat_run")))


RULE = RunRule("R18", _judge, "definitions, validity")
