"""Who sends what: the requests of a schedule, shared over workers."""

import os

import numpy as np

from workbench.load.messages import Ask
from workbench.load.options import LoadOptions
from workbench.traces import Schedule, Trace

_TOKENS_A_WORKER = 25_000
"""Output tokens per second that one worker is given by default: half of what one holds on a core of its
own.
"""


def asks_of(trace: Trace, schedule: Schedule, options: LoadOptions) -> list[Ask]:
    """All requests of the schedule, then those of the warm-up; times in wall seconds."""
    scale = options.time_scale
    closed = schedule.concurrency is not None
    asks = []
    for index, row_index in enumerate(schedule.rows.tolist()):
        row = trace.row(row_index)
        after = int(schedule.after[index]) if len(schedule.after) else -1
        delay = float(schedule.delay_s[index]) if after >= 0 else float("nan")
        asks.append(
            Ask(
                index=index,
                row=row_index,
                cycle=index // schedule.trace_rows,
                due_s=None if closed else float(schedule.due_s[index]) / scale,
                input_tokens=row.input_length,
                output_tokens=row.output_length,
                cls=row.cls or "",
                session_id=row.session_id,
                turn=row.turn,
                after=after if after >= 0 else None,
                think_s=None if np.isnan(delay) else delay / scale,
                cancel_tokens=row.cancel_after_tokens,
                cancel_s=None if row.cancel_after_ms is None else row.cancel_after_ms / 1e3 / scale,
                priority=row.priority,
                pass_length=schedule.trace_rows,
            )
        )
    return asks + _warmup(asks, schedule, options)


def _warmup(asks: list[Ask], schedule: Schedule, options: LoadOptions) -> list[Ask]:
    """Copies of the first rows, evenly spaced at the schedule's mean rate, before its start."""
    if not options.warmup_s or not asks:
        return []
    length_s = options.warmup_s / options.time_scale
    if schedule.concurrency is not None:
        # A closed loop has no rate before it runs; its slots' worth of requests warms as many seats.
        count = schedule.concurrency
    else:
        span = (schedule.length_s or 0.0) / options.time_scale
        count = max(1, round(length_s * len(asks) / span)) if span else 1
    warm = []
    for number in range(count):
        model = asks[number % len(asks)]
        warm.append(
            Ask(
                index=number,
                row=model.row,
                cycle=number // len(asks),
                due_s=-length_s * (count - number) / count,
                input_tokens=model.input_tokens,
                output_tokens=model.output_tokens,
                cls=model.cls,
                warmup=True,
            )
        )
    return warm


def worker_count(trace: Trace, schedule: Schedule, options: LoadOptions) -> int:
    """How many workers to start: as asked, else by token rate and cores; at most a cap's places."""
    places = min(
        options.max_in_flight or len(schedule) or 1,
        schedule.concurrency or len(schedule) or 1,
        max(1, len(schedule)),
    )
    if options.workers is not None:
        return min(options.workers, places)
    cores = os.cpu_count() or 1
    if schedule.concurrency is not None or not schedule.length_s:
        wanted = 1
    else:
        tokens = float(trace.output_length[schedule.rows].sum())
        wanted = int(tokens * options.time_scale / schedule.length_s / _TOKENS_A_WORKER) + 1
    return max(1, min(wanted, cores - 1, places))


def split(asks: list[Ask], workers: int) -> list[list[Ask]]:
    """Each worker's requests: in turn by index, a session's turns all with one worker."""
    shares: list[list[Ask]] = [[] for _ in range(workers)]
    owner: dict[int, int] = {}
    for ask in asks:
        worker = ask.index % workers
        if not ask.warmup:
            if ask.after is not None:
                worker = owner[ask.after]
            owner[ask.index] = worker
        shares[worker].append(ask)
    return shares


def portion(total: int | None, workers: int, worker: int) -> int | None:
    """One worker's part of a number of places."""
    if total is None:
        return None
    return total // workers + (worker < total % workers)
