"""The split of a schedule's requests over workers, and the merge of the workers' counts."""

import os
from collections import Counter, deque
from collections.abc import Iterable
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.load.messages import LoadRequest, WorkerSnapshot
from workbench.load.options import LoadOptions
from workbench.results.run_records import LoadSnapshot
from workbench.traces import Schedule, Trace

_TOKENS_A_WORKER = 25_000
"""Default output tokens per second of a worker: half of what one manages on its own core."""


def requests_of(trace: Trace, schedule: Schedule, options: LoadOptions) -> list[LoadRequest]:
    """Return all requests of the schedule, then those of the warm-up; times in wall seconds."""
    requests = [
        LoadRequest(
            index=index,
            row=row,
            cycle=index // schedule.trace_rows,
            due_s=due_s,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cls=cls or "",
            session_id=session,
            turn=turn,
            after=after,
            think_s=None if after is None else think_s,
            cancel_tokens=cancel_tokens,
            cancel_s=cancel_s,
            priority=priority,
            pass_length=schedule.trace_rows,
        )
        for index, (
            row, due_s, input_tokens, output_tokens, cls, session, turn, after, think_s, cancel_tokens,
            cancel_s, priority,
        ) in enumerate(_columns(trace, schedule, options.time_scale))
    ]  # fmt: skip
    return requests + _warmup(requests, schedule, options)


def _columns(trace: Trace, schedule: Schedule, scale: float) -> Iterable[tuple[Any, ...]]:
    """Return the values of each request in the schedule's order, from its trace row and due time."""
    rows = schedule.rows
    count = len(rows)
    closed = schedule.concurrency is not None
    return zip(
        rows.tolist(),
        repeat(None, count) if closed else (schedule.due_s / scale).tolist(),
        trace.input_length[rows].tolist(),
        trace.output_length[rows].tolist(),
        trace.classes.select(rows).values(),
        repeat(None, count) if trace.sessions is None else trace.sessions.select(rows).values(),
        _known(trace.turn, rows),
        _known(schedule.after, np.arange(count)),
        _known(schedule.delay_s / scale, np.arange(count)),
        _known(trace.cancel_after_tokens, rows),
        _known(None if trace.cancel_after_ms is None else trace.cancel_after_ms / 1e3 / scale, rows),
        repeat(0, count) if trace.priority is None else trace.priority[rows].tolist(),
        strict=True,
    )


def _known(column: NDArray[Any] | None, rows: NDArray[np.int64]) -> Iterable[Any]:
    """Return an optional column's values at `rows`; None for unknown ones (-1, NaN) and without a column."""
    if column is None or not len(column):
        return repeat(None, len(rows))
    values = column[rows]
    return [None if value != value or value == -1 else value for value in values.tolist()]  # noqa: PLR0124 - NaN


def _warmup(requests: list[LoadRequest], schedule: Schedule, options: LoadOptions) -> list[LoadRequest]:
    """Return copies of the first rows, evenly spaced at the schedule's mean rate before its start."""
    if not options.warmup_s or not requests:
        return []
    length_s = options.warmup_s / options.time_scale
    if schedule.concurrency is not None:
        # A closed loop has no rate before it runs; one request a slot warms as many sequences.
        count = schedule.concurrency
    else:
        span = (schedule.length_s or 0.0) / options.time_scale
        count = max(1, round(length_s * len(requests) / span)) if span else 1
    warm = []
    for number in range(count):
        model = requests[number % len(requests)]
        warm.append(
            LoadRequest(
                index=number,
                row=model.row,
                cycle=number // len(requests),
                due_s=-length_s * (count - number) / count,
                input_tokens=model.input_tokens,
                output_tokens=model.output_tokens,
                cls=model.cls,
                warmup=True,
            )
        )
    return warm


def worker_count(
    trace: Trace, schedule: Schedule, options: LoadOptions, cores: int | None = None, least: int = 1
) -> int:
    """Return the number of workers: as set, else by token rate and cores; at most one for each slot.

    `cores` are those of the workers' machine; None: those that this process may use. `least` workers are
    started even if fewer would do.
    """
    places = min(
        options.max_in_flight or len(schedule) or 1,
        schedule.concurrency or len(schedule) or 1,
        max(1, len(schedule)),
    )
    if options.workers is not None:
        return min(options.workers, places)
    cores = cores or _usable_cores()
    if schedule.concurrency is not None or not schedule.length_s:
        wanted = 1
    else:
        tokens = float(trace.output_length[schedule.rows].sum())
        wanted = int(tokens * options.time_scale / schedule.length_s / _TOKENS_A_WORKER) + 1
    return max(1, min(max(wanted, least), max(cores - 1, least), places))


def _usable_cores() -> int:
    """Return the cores of this process: a container or `taskset` may leave it fewer than the machine has."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def split(requests: list[LoadRequest], workers: int) -> list[list[LoadRequest]]:
    """Return each worker's requests: in turn by index, all turns of a session with one worker."""
    shares: list[list[LoadRequest]] = [[] for _ in range(workers)]
    owner: dict[int, int] = {}
    for request in requests:
        worker = request.index % workers
        if not request.warmup:
            if request.after is not None:
                worker = owner[request.after]
            owner[request.index] = worker
        shares[worker].append(request)
    return shares


def portion(total: int | None, workers: int, worker: int) -> int | None:
    """Return a worker's part of a number of slots."""
    if total is None:
        return None
    return total // workers + (worker < total % workers)


# One snapshot from several workers: summed counts, the oldest request, delays of the last seconds.

_DELAY_WINDOW_S = 5.0
_FEWEST_DELAYS = 5


class SnapshotMerger:
    """Merges workers' snapshots into one of the whole load."""

    def __init__(self) -> None:
        self._last: dict[int, WorkerSnapshot] = {}
        self._ttft_ms: list[float] = []
        self._delays: deque[tuple[float, list[float]]] = deque()

    def add(self, worker: int, snapshot: WorkerSnapshot, t: float) -> None:
        """Add a worker's snapshot of `t`, seconds since the schedule's start."""
        self._last[worker] = snapshot
        self._ttft_ms += snapshot.new_ttft_ms
        if snapshot.new_client_delay_ms:
            self._delays.append((t, snapshot.new_client_delay_ms))

    def drop_worker(self, worker: int) -> None:
        """Set a dead worker's requests in flight to 0."""
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

    def merged(self, t: float) -> LoadSnapshot:
        """Return the snapshot of the whole load at `t`."""
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
