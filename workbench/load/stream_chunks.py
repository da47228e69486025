"""JSON of a streamed answer: `/v1/completions` and `/v1/chat/completions`, one object an event."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec

from workbench.base import UNREADABLE
from workbench.results import plausible_ms

Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
"""A number of tokens; an event with another value can't be read."""


class Delta(msgspec.Struct, gc=False):
    """Addition of a chat event to the message."""

    role: str | None = None
    content: Any = None
    reasoning: Any = None
    reasoning_content: Any = None
    """The name of `reasoning` before vLLM 0.11 and on other servers."""
    tool_calls: Any = None
    function_call: Any = None
    refusal: Any = None

    def shows_output(self) -> bool:
        """Return whether a known member carries something that the model generated, not a role alone."""
        return bool(
            self.tool_calls
            or self.function_call
            or carries_output(self.content)
            or carries_output(self.reasoning)
            or carries_output(self.reasoning_content)
            or carries_output(self.refusal)
        )


class ChunkChoice(msgspec.Struct, gc=False):
    """An entry of `choices`."""

    text: str | None = None
    delta: Delta | None = None
    message: Delta | None = None
    """Replaces `delta` if a server answers in one piece."""
    finish_reason: str | None = None


class Usage(msgspec.Struct, gc=False):
    """The server's own count, running or final."""

    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None


class ServerMetrics(msgspec.Struct, gc=False):
    """`--enable-per-request-metrics`: milliseconds as the server reports them."""

    queue_time_ms: float | None = None
    time_to_first_token_ms: float | None = None
    """From scheduling to the first token: vLLM's prefill time, not a client's TTFT."""
    requeue_wait_ms: float | None = None
    """Waiting again after preemptions; only the embedded engine tells it."""

    def __post_init__(self) -> None:
        self.queue_time_ms = plausible_ms(self.queue_time_ms)
        self.time_to_first_token_ms = plausible_ms(self.time_to_first_token_ms)
        self.requeue_wait_ms = plausible_ms(self.requeue_wait_ms)


class Chunk(msgspec.Struct, gc=False):
    """An event of a stream."""

    choices: list[ChunkChoice] | None = None
    usage: Usage | None = None
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    metrics: ServerMetrics | None = None
    object: str | None = None


decode_chunk = msgspec.json.Decoder(Chunk).decode
"""Reads one event as vLLM writes it; raises msgspec.DecodeError where it isn't JSON, or not of that form."""

_LABELS = frozenset(
    {
        "role", "name", "id", "index", "type", "object", "model", "format", "signature", "finish_reason",
        "stop_reason", "logprobs", "usage", "token_ids", "tool_call_id", "annotations", "citations",
        "provider_specific_fields",
    }
)  # fmt: skip
"""Members that describe a message and are no part of what the model generated."""


def decode_leniently(payload: bytes) -> Chunk:
    """Read one event that says the same in another form: counts as floats, members of other types, NaN.

    Raises:
        UNREADABLE: it is no JSON object, or its usage is a count that no server can mean.
    """
    told = _object_of(payload)
    choices, usage, metrics = told.get("choices"), told.get("usage"), told.get("metrics")
    if isinstance(usage, dict):
        usage = {name: _whole(usage.get(name)) for name in ("prompt_tokens", "completion_tokens")}
    else:
        usage = None
    if isinstance(choices, list):
        choices = [_choice(choice) for choice in choices if isinstance(choice, dict)]
    else:
        choices = None
    kind = told.get("object")
    error = told.get("error")
    return Chunk(
        choices=None if choices is None else msgspec.convert(choices, list[ChunkChoice]),
        usage=None if usage is None else msgspec.convert(usage, Usage),
        error=msgspec.UNSET if error is None else msgspec.Raw(msgspec.json.encode(error)),
        metrics=_metrics(metrics),
        object=kind if isinstance(kind, str) else None,
    )


def is_error(value: object) -> bool:
    """Return whether a member `error` says one: `{}`, `""`, false and `{"code": 0, "message": ""}` don't."""
    return any(part.strip() if isinstance(part, str) else part for part in _leaves(value))


def carries_output(value: object) -> bool:
    """Return whether text or data lies in a member of a message, such as `content` or `reasoning_details`."""
    if value is None or isinstance(value, str):
        return bool(value)
    return any(isinstance(part, str) and part for part in _leaves(value, _LABELS))


def other_output(payload: bytes) -> bool:
    """Return whether the first choice of an event carries output in a member that `Delta` doesn't know.

    `reasoning_details`, `audio`, `images`, `thinking_blocks`: every gateway has its own.
    """
    try:
        choice = _object_of(payload)["choices"][0]
        message = choice.get("delta") or choice.get("message")
        return isinstance(message, dict) and carries_output(message)
    except (*UNREADABLE, KeyError, IndexError, TypeError, AttributeError):
        return False


def _leaves(value: object, without: frozenset[str] = frozenset()) -> Iterator[object]:
    """All that lies in nested members, however deep, but not in those whose names are `without`."""
    nested = [value]
    while nested:
        part = nested.pop()
        if isinstance(part, dict):
            nested += [inner for name, inner in part.items() if name not in without]
        elif isinstance(part, list):
            nested += part
        else:
            yield part


def _object_of(payload: bytes) -> dict[str, Any]:
    """The decoded object; Python's own JSON writes NaN and Infinity, which mean unknown here."""
    try:
        told = msgspec.json.decode(payload)
    except msgspec.DecodeError:
        told = json.loads(payload, parse_constant=lambda _: None)
    if not isinstance(told, dict):
        raise msgspec.ValidationError("no JSON object")
    return told


def _whole(value: object) -> object:
    """A count written as a float or as text; None: it tells no count."""
    if isinstance(value, str):
        value = int(value) if value.isascii() and value.isdigit() and len(value) < 16 else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _choice(told: dict[str, Any]) -> dict[str, Any]:
    """The members that are of the form that `ChunkChoice` needs."""
    kept = {name: told[name] for name in ("text", "finish_reason") if isinstance(told.get(name), str)}
    for name in ("delta", "message"):
        if isinstance(told.get(name), dict):
            message = told[name]
            role = message.get("role")
            kept[name] = {**message, "role": role if isinstance(role, str) else None}
    return kept


def _metrics(told: object) -> ServerMetrics | None:
    try:
        return msgspec.convert(told, ServerMetrics | None)
    except msgspec.ValidationError:
        return None


# Server-sent events from bytes cut anywhere (WHATWG HTML, section 9.2.6).
#
# Lines end with LF, CRLF or CR; a line that starts with `:` is a comment; several `data` lines make one
# event. Servers report a failure in the middle of a stream in more ways than the `data` of vLLM: by the
# event's name (`event: error`, with or without data), in a comment of that event, or in a field `error:` of
# their own.

_DATA = b"data: "
_END = b"\n\n"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ERROR_NAMES = (b"error", b"fail", b"exception", b"fatal")
MOST_EVENT_BYTES = 4 << 20
"""No event of a stream of tokens comes near it; a line that never ends must not fill the memory."""


class EventTooLongError(Exception):
    """An event without an end."""


class ErrorEvent(NamedTuple):
    """An event that is an error by its name or its field."""

    words: bytes
    """Its data, else its field `error`, else its comment; empty where it says nothing more."""


Event: TypeAlias = "bytes | ErrorEvent"
"""The data of an event, or an error."""


class EventSplitter:
    """Turns body bytes into the payloads of events; one instance a stream."""

    __slots__ = (
        "_after_cr", "_begun", "_comment", "_data", "_error", "_held", "_name", "_tail", "between",
        "last_comment",
    )  # fmt: skip

    def __init__(self) -> None:
        self._tail = bytearray()
        """A line that has not ended."""
        self._held = 0
        """Bytes of the lines in `_data` and `_error`."""
        self._data: list[bytes] = []
        self._error: list[bytes] = []
        self._name = self._comment = b""
        self._after_cr = False
        self._begun = False
        self.between = True
        """Nothing of an unfinished event is held."""
        self.last_comment = b""
        """The last comment with words, which may tell why a stream ended."""

    def feed(self, body: bytes) -> list[Event]:
        """The payloads of the events that these bytes complete, without their `data: `.

        Raises:
            EventTooLongError: an event is longer than `MOST_EVENT_BYTES`.
        """
        if (
            self.between
            and body[:6] == _DATA
            and body[-2:] == _END
            and body.count(b"\n") == 2
            and b"\r" not in body
        ):
            # What vLLM sends for nearly every token: exactly one event.
            self._begun = True
            return [body[6:-2]]
        return self._feed_lines(body)

    def finish(self) -> list[Event]:
        """The last event where a server ends its body without the blank line that should close it."""
        events = [] if self.between else self._feed_lines(b"\n\n")
        self._tail, self._data, self._error, self._held = bytearray(), [], [], 0
        self._name = self._comment = b""
        self.between = True
        return events

    def _feed_lines(self, body: bytes) -> list[Event]:
        if self._after_cr and body:
            # A CR at the end of the last bytes ended its line; an LF that follows belongs to it.
            self._after_cr = False
            body = body.removeprefix(b"\n")
        if len(self._tail) + self._held > MOST_EVENT_BYTES:
            raise EventTooLongError
        if self._begun and self._tail and not _ends_a_line(body):
            self._tail += body  # without looking again at what came before
            return []
        text = bytes(self._tail) + body
        if not self._begun:
            if len(text) < 3 and _BYTE_ORDER_MARK.startswith(text):
                self._tail = bytearray(text)
                self.between = not text
                return []
            self._begun = True
            text = text.removeprefix(_BYTE_ORDER_MARK)
        lines = text.splitlines(keepends=True)
        unended = lines and lines[-1][-1:] not in {b"\n", b"\r"}
        self._tail = bytearray(lines.pop() if unended else b"")
        self._after_cr = not self._tail and text.endswith(b"\r")
        events = self._events(lines)
        begun = self._tail or self._data or self._error or self._name or self._comment
        self.between = not (begun or self._after_cr)
        return events

    def _events(self, lines: list[bytes]) -> list[Event]:
        events: list[Event] = []
        for raw in lines:
            line = raw.rstrip(b"\r\n")
            if not line:
                events += self._close()
            elif line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
                self._held += len(line)
            elif line == b"data":
                self._data.append(b"")
            else:
                self._note(line)
        return events

    def _note(self, line: bytes) -> None:
        """A line without data: a comment or another field."""
        field, _, value = line.partition(b":")
        value = value.strip()
        if not field and value:
            self._comment = self.last_comment = value
        elif field == b"event":
            self._name = value
        elif field == b"error":
            self._error.append(value)
            self._held += len(line)

    def _close(self) -> list[Event]:
        """A blank line: what it completes."""
        data, error, name, comment = self._data, self._error, self._name, self._comment
        if not (data or error or name or comment):
            return []
        self._data, self._error, self._held = [], [], 0
        self._name = self._comment = b""
        joined = b"\n".join(data)
        if error or any(word in name.lower() for word in _ERROR_NAMES):
            return [ErrorEvent(joined.strip() or b"\n".join(error) or comment)]
        return [joined] if data else []


def _ends_a_line(body: bytes) -> bool:
    return b"\n" in body or b"\r" in body
