"""Messages between the conductor's side and a load worker: length-prefixed msgpack."""

import struct
from typing import Any, BinaryIO

import msgspec

from workbench.base import Message
from workbench.load.options import LoadOptions
from workbench.load.target import Target
from workbench.results.run_records import RequestRecord

_LENGTH = struct.Struct(">I")


class LoadRequest(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A request to send. Times are wall seconds, already divided by the time scale."""

    index: int
    row: int
    cycle: int
    """Number of the pass over the trace."""
    due_s: float | None
    """Seconds since the schedule's start; None: due when a slot of the closed loop is free."""
    input_tokens: int
    output_tokens: int
    cls: str
    warmup: bool = False
    session_id: str | None = None
    turn: int | None = None
    after: int | None = None
    """Index of the request that must end first: the session's previous turn."""
    think_s: float | None = None
    """Due this long after that end; None: at `due_s`, or at that end if it is later."""
    pass_length: int = 0
    """Requests of one pass over the trace: the index grows by it when an endless closed loop repeats."""
    cancel_tokens: int | None = None
    cancel_s: float | None = None
    priority: int = 0

    def record(self, request_id: str, **observed: Any) -> RequestRecord:
        """Return the request's record: what was planned, and the `observed` fields."""
        return RequestRecord(
            index=self.index,
            row=self.row,
            request_id=request_id,
            cls=self.cls,
            phase="warmup" if self.warmup else "measured",
            session_id=self.session_id,
            turn=self.turn,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            **observed,
        )


class PromptColumns(msgspec.Struct, frozen=True, kw_only=True):
    """Columns of a trace that the prompt builder needs: little-endian arrays as bytes."""

    block_tokens: int
    input_length: bytes
    hash_offsets: bytes | None
    hash_flat: bytes
    """The ids' 64 bits."""


class WorkerJob(msgspec.Struct, frozen=True, kw_only=True, tag="job"):
    """Everything that a worker needs before it starts."""

    worker: int
    run_id: str
    target: Target
    options: LoadOptions
    prompts: PromptColumns
    requests: list[LoadRequest]
    """In the order of the schedule."""
    slots: int | None
    """Closed loop: requests to keep in flight."""
    endless: bool
    """Closed loop bounded by its length alone: the requests repeat."""
    max_in_flight: int | None
    """This worker's share of the cap."""
    length_s: float | None
    """Wall length of the schedule; None: until all requests are done."""
    texts: dict[int, str] = {}
    """Real prompts by trace row, if the user chose to replay them: only in memory and in this pipe."""

    def __repr__(self) -> str:
        return f"WorkerJob(worker={self.worker}, {len(self.requests)} requests, {len(self.texts)} texts)"


class StartLoad(msgspec.Struct, frozen=True, kw_only=True, tag="start"):
    """The common zero: `workbench.base.now` at the schedule's start."""

    zero: float


class StopLoad(msgspec.Struct, frozen=True, kw_only=True, tag="stop"):
    """Send no more, close open requests, report them unfinished."""


class ClockPing(msgspec.Struct, frozen=True, kw_only=True, tag="ping"):
    """A question for the worker's time; it is a sign of life too."""

    sent: float
    """Our `workbench.base.now`, which the answer repeats."""


ToWorker = WorkerJob | StartLoad | StopLoad | ClockPing


class WorkerReady(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """The first bodies are built; the load may start."""


class Records(msgspec.Struct, frozen=True, kw_only=True, tag="records"):
    """Requests that ended."""

    records: list[RequestRecord]


class WorkerSnapshot(msgspec.Struct, frozen=True, kw_only=True, tag="snapshot"):
    """Counts of a worker so far, and values new since its last snapshot."""

    due: int
    sent: int
    in_flight: int
    awaiting_first_token: int
    oldest_due: float | None
    """Due time of the oldest request without a first token, seconds since the zero."""
    outcomes: dict[str, int]
    events: int
    new_ttft_ms: list[float]
    new_client_delay_ms: list[float]


class WorkerDone(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """Last message of a worker."""

    not_due: int = 0
    """Requests that a stop kept from falling due; they have no record."""
    cpu_s: float = 0.0
    """Processor time since it was ready."""
    reads: int = 0
    """Reads with the kernel's stamp."""
    late_ms: dict[int, int] = {}
    """Reads whose stamp may be off, by milliseconds."""


class ClockPong(msgspec.Struct, frozen=True, kw_only=True, tag="pong"):
    """The answer to a `ClockPing`."""

    sent: float
    at: float
    """The worker's `workbench.base.now`."""


class WorkerStarted(msgspec.Struct, frozen=True, kw_only=True, tag="started"):
    """The worker heard the start."""

    late_s: float
    """Seconds since the first request could be due; negative: in time."""


class WorkerFailed(msgspec.Struct, frozen=True, kw_only=True, tag="trouble"):
    """The worker ends early."""

    why: Message


FromWorker = WorkerReady | WorkerStarted | Records | WorkerSnapshot | WorkerDone | WorkerFailed | ClockPong

_encoder = msgspec.msgpack.Encoder()
_to_worker: msgspec.msgpack.Decoder[ToWorker] = msgspec.msgpack.Decoder(ToWorker)
_from_worker: msgspec.msgpack.Decoder[FromWorker] = msgspec.msgpack.Decoder(FromWorker)


def frame(message: ToWorker | FromWorker) -> bytes:
    """Encode a message with its length before it."""
    body = _encoder.encode(message)
    return _LENGTH.pack(len(body)) + body


def read_to_worker(stream: BinaryIO) -> ToWorker | None:
    """Read the next message from a blocking, unbuffered stream; None if it closed."""
    head = _read_exactly(stream, _LENGTH.size)
    if head is None:
        return None
    body = _read_exactly(stream, _LENGTH.unpack(head)[0])
    return None if body is None else _to_worker.decode(body)


def _read_exactly(stream: BinaryIO, count: int) -> bytes | None:
    parts = []
    while count:
        part = stream.read(count)
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


async def read_from_worker(stream: Any) -> FromWorker:
    """Read the next message from an `asyncio.StreamReader`.

    Raises:
        asyncio.IncompleteReadError: the worker closed its end.
    """
    (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
    return _from_worker.decode(await stream.readexactly(length))
