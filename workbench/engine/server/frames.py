"""Messages between the two processes: msgpack behind a four-byte length, over a loopback socket.

Times are simulated seconds since the engine's zero. The front gives each request a small number (`handle`),
so that a step's outputs are two flat lists of integers.
"""

import struct
from typing import Any

import msgspec

_LENGTH = struct.Struct(">I")


class Frame(msgspec.Struct, array_like=True, tag=True, frozen=True):
    """Base of all messages."""


class Hello(Frame, frozen=True):
    """Engine to front, first: proves by the secret that it is the child."""

    secret: str


class EngineReady(Frame, frozen=True):
    """Engine to front: steps can begin."""


class EngineFailed(Frame, frozen=True):
    """Engine to front, instead of EngineReady: it can't start."""

    text: str


class Add(Frame, frozen=True):
    """Front to engine: a request that passed admission."""

    handle: int
    id: str
    """The engine's own id, used in the step record."""
    prompt: list[int]
    max_tokens: int
    stamp: float
    """Arrival in simulated seconds."""
    arrival_time: float
    """Wall time of arrival, seconds since the epoch: the tie-breaker of the priority policy."""
    output_seed: int
    priority: int = 0
    cache_salt: str | None = None


class Abort(Frame, frozen=True):
    """Front to engine: abort requests whose clients are gone."""

    handles: list[int]
    stamp: float


class Query(Frame, frozen=True):
    """Front to engine: a query or a change; the reply has the same ticket."""

    ticket: int
    what: str
    """metrics, limits, set_limits, reset_prefix_cache."""
    value: dict[str, Any] | None = None


class StopEngine(Frame, frozen=True):
    """Front to engine: abort the remaining requests, report them, and end."""


class QueryReply(Frame, frozen=True):
    """Engine to front: the reply to a query."""

    ticket: int
    value: dict[str, Any]


class Timing(Frame, frozen=True):
    """The engine's stamps of a finished request, simulated seconds."""

    queued: float
    scheduled: float
    first_token: float
    last_token: float
    requeue_wait: float | None = None
    """Seconds of waiting after preemptions; None: never preempted."""


class FinishedRequest(Frame, frozen=True):
    """A request whose last token is in this step's outputs; aborted ones have no such token."""

    handle: int
    reason: str
    timing: Timing | None = None


class Outputs(Frame, frozen=True):
    """Engine to front: outputs of a step; `handles[i]` got `tokens[i]`."""

    handles: list[int]
    tokens: list[int]
    firsts: list[tuple[int, int]]
    """(handle, prefix-hit tokens) of requests with their first token."""
    ended: list[FinishedRequest]
    at: float | None = None
    """Simulated second of the step's end; None: no step, the server stops."""


ToEngine = Add | Abort | Query | StopEngine
ToFront = Hello | EngineReady | EngineFailed | QueryReply | Outputs

_encoder = msgspec.msgpack.Encoder()
_to_engine = msgspec.msgpack.Decoder(ToEngine)
_to_front = msgspec.msgpack.Decoder(ToFront)


def encode(message: Frame) -> bytes:
    """Encode a message with its length before it."""
    body = _encoder.encode(message)
    return _LENGTH.pack(len(body)) + body


class Splitter:
    """Cuts a byte stream into the bodies of messages."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Return the bodies that `data` completes."""
        pending = self._pending
        pending += data
        bodies: list[bytes] = []
        start = 0
        while len(pending) - start >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(pending, start)
            end = start + _LENGTH.size + length
            if end > len(pending):
                break
            bodies.append(bytes(pending[start + _LENGTH.size : end]))
            start = end
        if start:
            del pending[:start]
        return bodies


def decode_to_engine(body: bytes) -> ToEngine:
    """Decode a message to the engine."""
    return _to_engine.decode(body)


def decode_to_front(body: bytes) -> ToFront:
    """Decode a message to the front."""
    return _to_front.decode(body)
