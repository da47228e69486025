"""The requests that finished in the last seconds: what the live plots show of their tokens and their TTFT."""

from collections import deque
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.results import Outcome, RequestRecord, request_token_gaps


class RecentFigures(NamedTuple):
    """Simulated milliseconds where the run is simulated. None: nothing to tell it from."""

    ttft_p50_ms: float | None = None
    ttft_p95_ms: float | None = None
    itl_p50_ms: float | None = None
    itl_p95_ms: float | None = None
    queue_ms: float | None = None
    prefill_ms: float | None = None
    outside_ms: float | None = None


class EndedRequest(NamedTuple):
    """What is looked at of a completed request; stamps and gaps in wall time."""

    done: float
    """Seconds since the schedule's start."""
    gaps_ms: bytes
    gap_tokens: bytes
    """Both as in `RequestRecord`."""
    ttft_ms: float | None
    queue_ms: float | None
    """As the server reports it for this request, as is `prefill_ms`."""
    prefill_ms: float | None
    cls: str = ""


_Kept = tuple[EndedRequest, NDArray[np.float64]]


class RecentRequests:
    """Completed requests whose end lies at most `window_s` wall seconds back."""

    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._ended: deque[_Kept] = deque()
        self._classes: dict[str, None] = {}

    def take(self, records: Sequence[RequestRecord]) -> None:
        """Take requests that have ended; those that did not complete are passed over."""
        for record in records:
            if record.outcome is Outcome.COMPLETED and record.done is not None:
                ttft = None if record.first_token is None else (record.first_token - record.due) * 1000
                self.add(
                    EndedRequest(
                        record.done,
                        record.gaps_ms,
                        record.gap_tokens,
                        ttft,
                        record.queue_ms,
                        record.prefill_ms,
                        record.cls,
                    )
                )

    def add(self, ended: EndedRequest) -> None:
        """Take one."""
        self._ended.append((ended, request_token_gaps(ended.gaps_ms, ended.gap_tokens)))

    def figures(self, run_t: float, scale: float) -> RecentFigures:
        """The figures at `run_t` wall seconds; what the client stamped is multiplied by `scale`."""
        self._forget(run_t)
        return _figures(self._ended, scale)

    def by_class(self, run_t: float, scale: float) -> dict[str, RecentFigures]:
        """The figures of each class that requests have finished of; empty while there is only one."""
        self._forget(run_t)
        self._classes.update(dict.fromkeys(ended.cls for ended, _ in self._ended))
        if len(self._classes) < 2:
            return {}
        return {
            cls: _figures([each for each in self._ended if each[0].cls == cls], scale)
            for cls in self._classes
        }

    def _forget(self, run_t: float) -> None:
        while self._ended and self._ended[0][0].done < run_t - self._window_s:
            self._ended.popleft()


def _figures(kept: Collection[_Kept], scale: float) -> RecentFigures:
    parts = [
        (ended.queue_ms, ended.prefill_ms, ended.ttft_ms * scale - ended.queue_ms - ended.prefill_ms)
        for ended, _ in kept
        if ended.ttft_ms is not None and ended.queue_ms is not None and ended.prefill_ms is not None
    ]
    queue, prefill, outside = np.mean(parts, axis=0) if parts else (None, None, None)
    ttft = _p50_p95([np.array([ended.ttft_ms]) for ended, _ in kept if ended.ttft_ms is not None], scale)
    itl = _p50_p95([values for _, values in kept if len(values)], scale)
    return RecentFigures(*ttft, *itl, queue, prefill, None if outside is None else max(0.0, outside))


def _p50_p95(values: list[NDArray[np.float64]], scale: float) -> tuple[float | None, float | None]:
    if not values:
        return None, None
    p50, p95 = np.percentile(np.concatenate(values), [50, 95]) * scale
    return float(p50), float(p95)
