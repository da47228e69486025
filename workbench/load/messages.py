"""What the conductor's side and a load worker say to each other, as length-prefixed msgpack."""

import struct
from typing import Any, BinaryIO

import msgspec

from workbench.base import Message
from workbench.load.options import LoadOptions
from workbench.load.target import Target
from workbench.results.run_records import RequestRecord

_LENGTH = struct.Struct(">I")


class LoadRequest(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One request to make. Times are wall seconds, already divided by the time scale."""

    index: int
    row: int
    cycle: int
    """Which pass over the trace this is."""
    due_s: float | None
    """Since the schedule's start; None: when a slot of the closed loop is free."""
    input_tokens: int
    output_tokens: int
    cls: str
    warmup: bool = False
    session_id: str | None = None
    turn: int | None = None
    after: int | None = None
    """Index of the request that must end first: the session's turn before."""
    think_s: float | None = None
    """Due so long after that end; None: at `due_s`, or at that end if it comes later."""
    pass_length: int = 0
    """Requests of one pass over the trace: how far the index moves when an endless closed loop begins
    again.
    """
    cancel_tokens: int | None = None
    cancel_s: float | None = None
    priority: int = 0


class PromptColumns(msgspec.Struct, frozen=True, kw_only=True):
    """What the prompt builder needs of a trace: little-endian arrays as bytes."""

    block_tokens: int
    input_length: bytes
    hash_offsets: bytes | None
    hash_flat: bytes
    """The ids' 64 bits."""


class WorkerJob(msgspec.Struct, frozen=True, kw_only=True, tag="job"):
    """Everything a worker needs before it starts."""

    worker: int
    run_id: str
    target: Target
    options: LoadOptions
    prompts: PromptColumns
    requests: list[LoadRequest]
    """In the order of the schedule."""
    slots: int | None
    """Closed loop: how many requests to keep in flight."""
    endless: bool
    """Closed loop bounded by its length alone: begin again after the last request."""
    max_in_flight: int | None
    """This worker's share of the cap."""
    length_s: float | None
    """Wall length of the schedule; None: until all requests are done."""
    texts: dict[int, str] = {}
    """Real prompts by trace row, where the user chose to replay them: in memory and this pipe only."""

    def __repr__(self) -> str:
        return f"Job(worker={self.worker}, {len(self.requests)} requests, {len(self.texts)} texts)"


class StartLoad(msgspec.Struct, frozen=True, kw_only=True, tag="start"):
    """The common zero: `workbench.base.now` at the schedule's start."""

    zero: float


class StopLoad(msgspec.Struct, frozen=True, kw_only=True, tag="stop"):
    """Send no more, close what is open, report it unfinished."""


ToWorker = WorkerJob | StartLoad | StopLoad


class WorkerReady(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """The first bodies are built; `start` may come."""


class Records(msgspec.Struct, frozen=True, kw_only=True, tag="records"):
    """Requests that ended."""

    records: list[RequestRecord]


class WorkerSnapshot(msgspec.Struct, frozen=True, kw_only=True, tag="snapshot"):
    """One worker's counts so far, and what is new since its last snapshot."""

    due: int
    sent: int
    in_flight: int
    awaiting_first_token: int
    oldest_due: float | None
    """Due time, since the zero, of the oldest request without a first token."""
    outcomes: dict[str, int]
    events: int
    new_ttft_ms: list[float]
    new_client_delay_ms: list[float]


class WorkerDone(msgspec.Struct, frozen=True, kw_only=True, tag="ended"):
    """The worker's last word."""

    not_due: int = 0
    """Requests of the schedule that an operator's stop kept from falling due; they have no record."""
    cpu_s: float = 0.0
    """Processor time since it was ready."""
    reads: int = 0
    """Reads with the kernel's stamp."""
    late_ms: dict[int, int] = {}
    """Of these, the ones whose stamp may be off, by milliseconds."""


class WorkerFailed(msgspec.Struct, frozen=True, kw_only=True, tag="trouble"):
    """The worker can't go on."""

    why: Message


FromWorker = WorkerReady | Records | WorkerSnapshot | WorkerDone | WorkerFailed

_encoder = msgspec.msgpack.Encoder()
_to_worker: msgspec.msgpack.Decoder[ToWorker] = msgspec.msgpack.Decoder(ToWorker)
_from_worker: msgspec.msgpack.Decoder[FromWorker] = msgspec.msgpack.Decoder(FromWorker)


def frame(message: ToWorker | FromWorker) -> bytes:
    """One message with its length before it."""
    body = _encoder.encode(message)
    return _LENGTH.pack(len(body)) + body


def read_to_worker(stream: BinaryIO) -> ToWorker | None:
    """The next message from a blocking, unbuffered stream; None when it closed."""
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
    """The next message from an `asyncio.StreamReader`.

    Raises:
        asyncio.IncompleteReadError: the worker closed its end.
    """
    (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
    return _from_worker.decode(await stream.readexactly(length))
