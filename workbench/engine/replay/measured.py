"""Request files of measured runs: one JSON object a request, as LLMServingSim's benchmark of vLLM writes."""

from pathlib import Path

import msgspec

from workbench.base import UNREADABLE, InputError
from workbench.traces import Trace, TraceRow


class MeasuredRequest(msgspec.Struct, frozen=True):
    """One request and when the server did what (s); arrival is wall time, the stamps have another clock."""

    request_id: str
    input_toks: int
    output_toks: int
    arrival_time: float
    queued_ts: float
    scheduled_ts: float
    first_token_ts: float
    last_token_ts: float


def is_measured(path: Path) -> bool:
    """Whether the file's first line is a measured request."""
    try:
        with path.open("rb") as file:
            msgspec.json.decode(file.readline(1 << 16), type=MeasuredRequest)
    except (OSError, *UNREADABLE):
        return False
    return True


def read_measured(path: Path) -> list[MeasuredRequest]:
    """All requests in the order of arrival.

    Raises:
        InputError: the file can't be read, or a line is not of this form.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from error
    requests: list[MeasuredRequest] = []
    for number, line in enumerate(lines, start=1):
        try:
            requests.append(msgspec.json.decode(line, type=MeasuredRequest))
        except UNREADABLE as error:
            raise InputError(f"{path}, line {number}: not a measured request: {error}") from error
    return sorted(requests, key=lambda request: request.arrival_time)


def measured_trace(requests: list[MeasuredRequest], source: str) -> Trace:
    """The workload of a measured run: lengths and arrivals; prompts are taken to share nothing."""
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
