"""Server-sent events from bytes cut anywhere (WHATWG HTML, section 9.2.6).

Lines end with LF, CRLF or CR; a line starting with `:` is a comment; several `data` lines make one event.
"""

_DATA = b"data: "
_END = b"\n\n"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MOST_EVENT_BYTES = 4 << 20
"""No event of a stream of tokens comes near it; a line that never ends must not fill the memory."""


class EventTooLongError(Exception):
    """An event without an end."""


class EventSplitter:
    """Turns body bytes into the payloads of events; one instance a stream."""

    __slots__ = ("_after_cr", "_begun", "_data", "_held", "_tail", "between")

    def __init__(self) -> None:
        self._tail = bytearray()
        """A line that has not ended."""
        self._held = 0
        """Bytes of the lines in `_data`."""
        self._data: list[bytes] = []
        self._after_cr = False
        self._begun = False
        self.between = True
        """Nothing of an unfinished event is held."""

    def feed(self, body: bytes) -> list[bytes]:
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

    def finish(self) -> list[bytes]:
        """The last event where a server ends its body without the blank line that should close it."""
        events = self._feed_lines(b"\n\n") if self._tail or self._data else []
        self._tail, self._data, self._held, self.between = bytearray(), [], 0, True
        return events

    def _feed_lines(self, body: bytes) -> list[bytes]:
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
        self.between = not (self._tail or self._data or self._after_cr)
        return events

    def _events(self, lines: list[bytes]) -> list[bytes]:
        events = []
        for raw in lines:
            line = raw.rstrip(b"\r\n")
            if not line:
                if self._data:
                    events.append(b"\n".join(self._data))
                    self._data, self._held = [], 0
            elif line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
                self._held += len(line)
            elif line == b"data":
                self._data.append(b"")
        return events


def _ends_a_line(body: bytes) -> bool:
    return b"\n" in body or b"\r" in body
