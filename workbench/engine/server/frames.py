"""What the two processes say to each other: msgpack behind a four-byte length, over a loopback socket.

Times are simulated seconds since the engine's zero. A request travels under a small number (`handle`) that
the front gives it, so that a step's outputs are two flat lists of integers.
"""

import struct
from typing import Any

import msgspec

_LENGTH = struct.Struct(">I")


class Frame(msgspec.Struct, array_like=True, tag=True, frozen=True):
    """Base of all messages."""


class Hello(Frame, frozen=True):
    """Engine to front, first: proves with the word it was given that it is the child."""

    secret: str


class Ready(Frame, frozen=True):
    """Engine to front: the scheduler stands and steps can begin."""


class Failed(Frame, frozen=True):
    """Engine to front, instead of Ready: it can't start, and why."""

    text: str


class Add(Frame, frozen=True):
    """Front to engine: a request that passed admission."""

    handle: int
    id: str
    """The engine's own id, as in the step record."""
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
    """Front to engine: the clients of these are gone."""

    handles: list[int]
    stamp: float


class Ask(Frame, frozen=True):
    """Front to engine: a question or a change; answered under the same ticket."""

    ticket: int
    what: str
    """metrics, limits, set_limits, reset_prefix_cache."""
    value: dict[str, Any] | None = None


class Stop(Frame, frozen=True):
    """Front to engine: abort what is left, say so, and end."""


class Answer(Frame, frozen=True):
    """Engine to front."""

    ticket: int
    value: dict[str, Any]


class Timing(Frame, frozen=True):
    """The engine's stamps of a finished request, simulated seconds."""

    queued: float
    scheduled: float
    first_token: float
    last_token: float
    requeue_wait: float | None = None
    """Seconds of waiting again after preemptions; None: it was never preempted."""


class Ended(Frame, frozen=True):
    """A request whose last token is in this step's outputs (none for an abort)."""

    handle: int
    reason: str
    timing: Timing | None = None


class Outputs(Frame, frozen=True):
    """Engine to front: what one step gave. `handles[i]` got `tokens[i]`."""

    handles: list[int]
    tokens: list[int]
    firsts: list[tuple[int, int]]
    """(handle, prefix-hit tokens) of those whose first token this is."""
    ended: list[Ended]
    at: float | None = None
    """Simulated second at which the step ended; None: no step, the server stops."""


ToEngine = Add | Abort | Ask | Stop
ToFront = Hello | Ready | Failed | Answer | Outputs

_encoder = msgspec.msgpack.Encoder()
_to_engine = msgspec.msgpack.Decoder(ToEngine)
_to_front = msgspec.msgpack.Decoder(ToFront)


def encode(message: Frame) -> bytes:
    """One message with its length before it."""
    body = _encoder.encode(message)
    return _LENGTH.pack(len(body)) + body


class Splitter:
    """Cuts a byte stream into the bodies of messages."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The bodies that `data` completes."""
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
    """A message to the engine process."""
    return _to_engine.decode(body)


def decode_to_front(body: bytes) -> ToFront:
    """A message to the front."""
    return _to_front.decode(body)
