"""Limits on admitted requests: `--max-num-queued-reqs` and `--max-num-queued-tokens`."""

from workbench.engine.server.link import EngineLink
from workbench.vllm_dialect import metrics


class Admission:
    """Checks whether a request may enter.

    As in vLLM there are two checks: before the prompt is read, and when it goes to the engine. A burst can
    pass the first and fail the second, after a stream began with 200.
    """

    def __init__(self, link: EngineLink, max_requests: int | None, max_tokens: int | None) -> None:
        self._link = link
        self._max_requests = max_requests
        self._max_tokens = max_tokens
        self.rejections = dict.fromkeys(metrics.REJECTION_REASONS, 0)

    def refusal(self) -> str | None:
        """Return the limit that is reached and count a rejection; None: the request may enter."""
        if self._max_requests is not None and self._link.unfinished + 1 > self._max_requests:
            return self._count("max_num_queued_reqs")
        if self._max_tokens is not None and self._link.backlog_tokens >= self._max_tokens:
            return self._count("max_num_queued_tokens")
        return None

    def _count(self, reason: str) -> str:
        self.rejections[reason] += 1
        return reason
