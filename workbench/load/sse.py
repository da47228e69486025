"""Server-sent events from bytes cut anywhere (WHATWG HTML, section 9.2.6).

Lines end with LF, CRLF or CR; a line starting with `:` is a comment; several `data` lines make one event.
"""

_DATA = b"data: "
_END = b"\n\n"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class EventSplitter:
    """Turns body bytes into the payloads of events; one instance a stream."""

    __slots__ = ("_after_cr", "_begun", "_data", "_tail", "between")

    def __init__(self) -> None:
        self._tail = b""
        self._data: list[bytes] = []
        self._after_cr = False
        self._begun = False
        self.between = True
        """Nothing of an unfinished event is held."""

    def feed(self, body: bytes) -> list[bytes]:
        """The payloads of the events that these bytes complete, without their `data: `."""
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
        self._tail, self._data, self.between = b"", [], True
        return events

    def _feed_lines(self, body: bytes) -> list[bytes]:
        if self._after_cr and body:
            # A CR at the end of the last bytes ended its line; an LF that follows belongs to it.
            self._after_cr = False
            body = body.removeprefix(b"\n")
        text = self._tail + body
        if not self._begun:
            if len(text) < 3 and _BYTE_ORDER_MARK.startswith(text):
                self._tail = text
                self.between = not text
                return []
            self._begun = True
            text = text.removeprefix(_BYTE_ORDER_MARK)
        lines = text.splitlines(keepends=True)
        self._tail = lines.pop() if lines and lines[-1][-1:] not in {b"\n", b"\r"} else b""
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
                    self._data = []
            elif line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif line == b"data":
                self._data.append(b"")
        return events
