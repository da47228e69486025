"""One picture from several workers: counts added, the oldest of the oldest, delays of the last seconds."""

from collections import Counter, deque

import numpy as np

from workbench.load.messages import WorkerSnapshot
from workbench.results.records import LoadSnapshot

_DELAY_WINDOW_S = 5.0
_FEWEST_DELAYS = 5


class SnapshotMerger:
    """Takes workers' snapshots in, gives one of the whole load out."""

    def __init__(self) -> None:
        self._last: dict[int, WorkerSnapshot] = {}
        self._ttft_ms: list[float] = []
        self._delays: deque[tuple[float, list[float]]] = deque()

    def take(self, worker: int, snapshot: WorkerSnapshot, t: float) -> None:
        """A worker's snapshot came at `t`, seconds since the schedule's start."""
        self._last[worker] = snapshot
        self._ttft_ms += snapshot.new_ttft_ms
        if snapshot.new_client_delay_ms:
            self._delays.append((t, snapshot.new_client_delay_ms))

    def lose(self, worker: int) -> None:
        """A worker died: nothing of it is in flight any more."""
        last = self._last.get(worker)
        if last is not None:
            last = WorkerSnapshot(
                due=last.due,
                sent=last.sent,
                in_flight=0,
                awaiting_first_token=0,
                oldest_due=None,
                outcomes=last.outcomes,
                events=last.events,
                new_ttft_ms=[],
                new_client_delay_ms=[],
            )
            self._last[worker] = last

    def give(self, t: float) -> LoadSnapshot:
        """The whole load at `t`."""
        while self._delays and self._delays[0][0] < t - _DELAY_WINDOW_S:
            self._delays.popleft()
        delays = [delay for _, batch in self._delays for delay in batch]
        parts = list(self._last.values())
        outcomes: Counter[str] = Counter()
        for part in parts:
            outcomes.update(part.outcomes)
        oldest = min((part.oldest_due for part in parts if part.oldest_due is not None), default=None)
        ttft_ms, self._ttft_ms = self._ttft_ms, []
        return LoadSnapshot(
            t=t,
            due=sum(part.due for part in parts),
            sent=sum(part.sent for part in parts),
            in_flight=sum(part.in_flight for part in parts),
            awaiting_first_token=sum(part.awaiting_first_token for part in parts),
            oldest_waiting_s=None if oldest is None else max(0.0, t - oldest),
            completed=outcomes["completed"],
            failed=outcomes["failed"],
            rejected=outcomes["rejected"],
            timed_out=outcomes["timed_out"],
            cancelled=outcomes["cancelled"],
            events=sum(part.events for part in parts),
            recent_ttft_ms=ttft_ms,
            client_delay_p99_ms=float(np.percentile(delays, 99)) if len(delays) >= _FEWEST_DELAYS else None,
        )
