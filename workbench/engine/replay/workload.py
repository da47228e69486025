"""Jobs from a trace and its schedule."""

from collections.abc import Iterator

from workbench.base import InputError
from workbench.engine.replay.keys import prompt_keys
from workbench.engine.replay.run import Job
from workbench.engine.scheduler import Request, SchedulerConfig
from workbench.traces import Schedule, Trace, TraceRow


def jobs_of(
    trace: Trace, schedule: Schedule, config: SchedulerConfig, *, lead_in_s: float = 0.0
) -> list[Job]:
    """One job for each request of an open-loop schedule; `lead_in_s` is what lies before its first due time.

    Raises:
        InputError: a closed loop, or a prompt that `max_model_len` does not hold.
    """
    if schedule.concurrency is not None:
        raise InputError("a replay needs due times: a closed loop has none before it runs")
    return list(_jobs(trace, schedule, config, lead_in_s))


def _jobs(trace: Trace, schedule: Schedule, config: SchedulerConfig, lead_in_s: float) -> Iterator[Job]:
    ordered = bool(len(schedule.after))
    for number, due_s in enumerate(schedule.due_s.tolist()):
        row_number, _ = schedule.row_of(number)
        row = trace.row(row_number)
        yield Job(
            due_s=due_s + lead_in_s,
            request=_request(number, row_number, row, trace.header.block_tokens, config),
            after=int(schedule.after[number]) if ordered else -1,
            delay_s=float(schedule.delay_s[number]) if ordered else 0.0,
            cancel_after_tokens=row.cancel_after_tokens,
            cancel_after_s=None if row.cancel_after_ms is None else row.cancel_after_ms / 1000,
        )


def _request(
    number: int, row_number: int, row: TraceRow, block_tokens: int, config: SchedulerConfig
) -> Request:
    if row.input_length >= config.max_model_len:
        raise InputError(
            f"trace row {row_number + 1}: a prompt of {row.input_length} tokens does not fit max_model_len "
            f"({config.max_model_len}); raise it, or drop or clamp such rows (--max-len drop)"
        )
    keys = None
    if config.enable_prefix_caching and row.hash_ids:
        keys = prompt_keys(row.hash_ids, block_tokens, config.block_size, row.input_length)
    return Request(
        f"r{number}",
        row.input_length,
        row.output_length,
        priority=row.priority or 0,
        arrival_time=float(number),
        block_keys=keys,
    )
