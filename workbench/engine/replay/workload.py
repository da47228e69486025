"""Jobs of a replay, from a trace and its schedule."""

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from workbench.base import UNREADABLE, Place, Refusal
from workbench.engine.replay.replay_run import ReplayJob
from workbench.engine.scheduler import Request, SchedulerConfig
from workbench.traces import Schedule, Trace, TraceRow, read_trace

# Block hashes of a trace row from its `hash_ids`, without making tokens.

BLOCKS_PER_ID = 1 << 21
"""More KV blocks than any prompt has; separates the hashes of an id."""


def prompt_keys(hash_ids: Sequence[int], block_tokens: int, block_size: int, prompt_len: int) -> list[int]:
    """Return hashes of the full KV blocks that the ids cover, from position 0.

    An id stands for all tokens up to the end of its trace block. So a KV block is named by the id of its last
    token together with its own position. Blocks beyond the ids are unique and get no hash here.
    """
    covered = min(prompt_len, len(hash_ids) * block_tokens) // block_size
    keys: list[int] = []
    for position, hash_id in enumerate(hash_ids):
        end = min(covered, (position + 1) * block_tokens // block_size)
        base = hash_id * BLOCKS_PER_ID
        keys.extend(range(base + len(keys), base + end))
    return keys


def jobs_of(
    trace: Trace, schedule: Schedule, config: SchedulerConfig, *, lead_in_s: float = 0.0
) -> list[ReplayJob]:
    """Return a job for each request of an open-loop schedule, which starts after `lead_in_s`.

    Raises:
        Refusal: a closed loop, or a prompt longer than `max_model_len`.
    """
    if schedule.concurrency is not None:
        raise Refusal("engine.closed_loop_without_times")
    return list(_jobs(trace, schedule, config, lead_in_s))


def _jobs(trace: Trace, schedule: Schedule, config: SchedulerConfig, lead_in_s: float) -> Iterator[ReplayJob]:
    ordered = bool(len(schedule.after))
    for number, due_s in enumerate(schedule.due_s.tolist()):
        row_number, _ = schedule.row_of(number)
        row = trace.row(row_number)
        yield ReplayJob(
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
        raise Refusal(
            "engine.row_too_long",
            row=row_number + 1,
            tokens=row.input_length,
            length=config.max_model_len,
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
        block_hashes=keys,
    )


# Request files of measured runs: one JSON object a request, as written by LLMServingSim's benchmark of vLLM.


class MeasuredRequest(msgspec.Struct, frozen=True):
    """A request and its server stamps (s); arrival is wall time, the stamps have another clock."""

    request_id: str
    input_toks: int
    output_toks: int
    arrival_time: float
    queued_ts: float
    scheduled_ts: float
    first_token_ts: float
    last_token_ts: float


def is_measured(path: Path) -> bool:
    """Return whether the file's first line is a measured request."""
    try:
        with path.open("rb") as file:
            msgspec.json.decode(file.readline(1 << 16), type=MeasuredRequest)
    except (OSError, *UNREADABLE):
        return False
    return True


def read_measured(path: Path) -> list[MeasuredRequest]:
    """Read all requests, in the order of arrival.

    Raises:
        Refusal: the file can't be read, or a line is not a measured request.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise Refusal("base.unreadable_file", Place(file=str(path)), cause=error.strerror) from error
    requests: list[MeasuredRequest] = []
    for number, line in enumerate(lines, start=1):
        try:
            requests.append(msgspec.json.decode(line, type=MeasuredRequest))
        except UNREADABLE as error:
            place = Place(file=str(path), line=number)
            raise Refusal("engine.not_measured_request", place, cause=str(error)) from error
    return sorted(requests, key=lambda request: request.arrival_time)


def measured_trace(requests: list[MeasuredRequest], source: str) -> Trace:
    """Return the workload of a measured run: lengths and arrivals; prompts count as unique."""
    start = requests[0].arrival_time
    return Trace.from_rows(
        (
            TraceRow(
                timestamp=(request.arrival_time - start) * 1000,
                input_length=request.input_toks,
                output_length=request.output_toks,
            )
            for request in requests
        ),
        source=source,
    )


# Input of `engine replay`: a trace of any known format, or the requests of a measured run.


def read_workload(path: Path) -> Trace:
    """Read the trace in a file.

    Raises:
        Refusal: it can't be read; the place names file, line and field.
    """
    if is_measured(path):
        return measured_trace(read_measured(path), path.name)
    return read_trace(path)


class _TimedLine(msgspec.Struct, frozen=True):
    timestamp: float | None = None
    workbench_trace: int | None = None


def lead_in_s(path: Path) -> float:
    """Return the seconds before a canonical trace's first request; 0 for other files.

    A loaded trace starts at its first arrival; a replay's clock is that of the file.
    """
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            header, *rows = [msgspec.json.decode(line, type=_TimedLine) for line in file if line.strip()]
    except (OSError, EOFError, *UNREADABLE):
        return 0.0  # another format, without such a header
    times = [row.timestamp for row in rows if row.timestamp is not None]
    return min(times) / 1000 if header.workbench_trace and times else 0.0
