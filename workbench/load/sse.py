"""Server-sent events from bytes cut anywhere (WHATWG HTML, section 9.2.6).

Lines end with LF, CRLF or CR; a line that starts with `:` is a comment; several `data` lines make one event.
Servers report a failure in the middle of a stream in more ways than the `data` of vLLM: by the event's name
(`event: error`, with or without data), in a comment of that event, or in a field `error:` of their own.
"""

from typing import NamedTuple, TypeAlias

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
