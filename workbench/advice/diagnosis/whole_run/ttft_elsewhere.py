"""R12: TTFT is long though queue time isn't a fifth of it."""

from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.rule import RuleVerdict, RunRule
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message

_LONG_MS, _LARGEST_SHARE = 500, 0.2


def _judge(view: RunView, series: Series) -> RuleVerdict | None:
    del series
    ttft, queue = view.figure("ttft_ms", "p95"), view.figure("queue_ms", "p95")
    if queue is None:
        queue = view.figure("queue_ms", "hi")
    admission = view.figure("admission_wait_ms", "p95") or 0.0
    if ttft is None or queue is None or ttft < _LONG_MS or queue + admission > _LARGEST_SHARE * ttft:
        return None
    change = advise(message("advice.compare_prompts"), message("advice.ttft_by_class"))
    verdict = message("advice.ttft_elsewhere", ttft=ttft, queue=queue)
    return RuleVerdict(verdict, [message("advice.ttft_rest")], "medium", change)


RULE = RunRule("R12", _judge, "vLLM issue 48803")
