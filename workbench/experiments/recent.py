"""The requests that finished in the last seconds: what the live plots show of their tokens and their TTFT."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.results import Outcome, RequestRecord


class RecentFigures(NamedTuple):
    """Simulated milliseconds where the run is simulated. None: nothing to tell it from."""

    itl_p50_ms: float | None = None
    itl_p95_ms: float | None = None
    prefill_ms: float | None = None
    outside_ms: float | None = None


class _Ended(NamedTuple):
    done: float
    gaps_ms: NDArray[np.float64]
    """A value a token, wall milliseconds."""
    ttft_ms: float | None
    inside_ms: float | None
    """Queue and prefill as the server reports them."""
    prefill_ms: float | None


class RecentRequests:
    """Completed requests whose end lies at most `window_s` wall seconds back."""

    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._ended: deque[_Ended] = deque()

    def take(self, records: Sequence[RequestRecord]) -> None:
        """Take requests that have ended; those that did not complete are passed over."""
        self._ended.extend(
            _ended(record) for record in records if record.outcome is Outcome.COMPLETED and record.done
        )

    def figures(self, run_t: float, scale: float) -> RecentFigures:
        """The figures at `run_t` wall seconds; what the client stamped is multiplied by `scale`."""
        while self._ended and self._ended[0].done < run_t - self._window_s:
            self._ended.popleft()
        gaps = [ended.gaps_ms for ended in self._ended if len(ended.gaps_ms)]
        p50, p95 = np.percentile(np.concatenate(gaps), [50, 95]) * scale if gaps else (None, None)
        told = [ended for ended in self._ended if ended.inside_ms is not None and ended.ttft_ms is not None]
        if not told:
            return RecentFigures(p50, p95)
        outside = [(each.ttft_ms or 0.0) * scale - (each.inside_ms or 0.0) for each in told]
        prefill = float(np.mean([each.prefill_ms or 0.0 for each in told]))
        return RecentFigures(p50, p95, prefill, max(0.0, float(np.mean(outside))))


def _ended(record: RequestRecord) -> _Ended:
    tokens = record.token_array()
    # One event with k tokens counts as k gaps of gap/k (docs/definitions.md, "ITL").
    gaps = np.repeat(record.gap_array() / np.maximum(tokens, 1), tokens).astype(np.float64)
    inside = None
    if record.queue_ms is not None and record.prefill_ms is not None:
        inside = record.queue_ms + record.prefill_ms
    ttft = None if record.first_token is None else (record.first_token - record.due) * 1000
    return _Ended(record.done or 0.0, gaps, ttft, inside, record.prefill_ms)
