"""R10: a figure of the server is impossible (TTFT below 1 ms) or open-ended (last bucket of queue time)."""

from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.rule import RuleVerdict, RunRule
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message
from workbench.vllm_dialect import version_has

_LEAST_TTFT_S = 0.001
_FLAG = "--enable-per-request-metrics"


def _judge(view: RunView, series: Series) -> RuleVerdict | None:
    mean = series.server_ttft_s
    if mean is not None and mean < _LEAST_TTFT_S:
        return RuleVerdict(message("advice.impossible_ttft", microseconds=mean * 1e6), [], "high", None)
    low, high = view.figure("queue_ms", "lo"), view.figure("queue_ms", "hi")
    if low is None or high is not None:
        return None
    text = message("advice.start_with_request_metrics")
    if version_has("flag", _FLAG, view.vllm_version) is False:
        text = message("advice.no_request_metrics", version=view.vllm_version)
    change = advise(text, message("advice.queue_time"))
    return RuleVerdict(message("advice.queue_beyond", low=low), [], "high", change)


RULE = RunRule("R10", _judge, "vLLM issues 8115, 6337, 15167")
