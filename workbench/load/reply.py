"""One HTTP answer, read by read: status, stream of events, tokens with their times, usage, errors.

Nothing here runs while bytes arrive; the connection keeps (stamp, bytes) and the answer is read later
(see `digest`). The stamp of an event is the read that completed it.
"""

from typing import Any

import httptools
import msgspec

from workbench.base import UNREADABLE
from workbench.load.chunks import Choice, Chunk, ServerMetrics, decode_chunk
from workbench.load.sse import MOST_EVENT_BYTES, EventSplitter, EventTooLongError
from workbench.load.tokens import TokenTimes

_MOST_ERROR_BYTES = 65_536
_MOST_WHOLE_BYTES = 64 << 20
"""Of an answer that is no stream."""


class Reply:
    """What one answer said. Feed it with `read` in order, then `end` when the connection closed."""

    __slots__ = (
        "_body",
        "_continuous",
        "_counted",
        "_delimited",
        "_events",
        "_informational",
        "_parser",
        "_stamp",
        "_streaming",
        "broken",
        "complete",
        "completed_at",
        "completion_tokens",
        "counted_by",
        "done_mark",
        "error",
        "finish_reason",
        "headers_at",
        "keep_alive",
        "location",
        "metrics",
        "prompt_tokens",
        "status",
        "tokens",
    )

    def __init__(self) -> None:
        self._parser: Any = httptools.HttpResponseParser(self)
        self._events = EventSplitter()
        self._body = bytearray()
        self._streaming = True
        self._delimited = False
        self._informational = False
        self._continuous = False
        self._counted = 0
        self._stamp = 0.0
        self.tokens = TokenTimes()
        self.status: int | None = None
        self.headers_at: float | None = None
        self.complete = False
        self.completed_at: float | None = None
        self.keep_alive = False
        self.finish_reason: str | None = None
        self.done_mark = False
        self.prompt_tokens: int | None = None
        self.completion_tokens: int | None = None
        self.counted_by: str | None = None
        self.metrics: ServerMetrics | None = None
        self.location: str | None = None
        """Where a redirect leads."""
        self.error: Any = None
        """The decoded object that held an `error`, or the text of a body that is none."""
        self.broken: str | None = None
        """Why the bytes can't be read, in words."""

    @property
    def over(self) -> bool:
        """Whether nothing that still comes could change it: it ended, or it isn't HTTP."""
        return self._parser is None

    def read(self, stamp: float, data: bytes) -> None:
        """Take in one socket read."""
        if self._parser is None:
            if self.complete:
                self.keep_alive = False  # bytes after the end: the connection can't be trusted again
            return
        self._stamp = stamp
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            if not self.complete:
                self._break(f"the answer is not HTTP: {error}")
            self.keep_alive = False
            self._parser = None
        if self.complete:
            self._parser = None  # it refers back to this object

    def end(self, stamp: float) -> None:
        """The connection closed: this ends a body that says neither its length nor that it is chunked."""
        if self._parser is not None and self.headers_at is not None and not self._delimited:
            self._stamp = stamp
            self.on_message_complete()
        self._parser = None

    # What httptools calls.

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header line."""
        lower = name.lower()
        if lower == b"content-type":
            self._streaming = b"json" not in value.lower()
        elif lower in {b"content-length", b"transfer-encoding"}:
            self._delimited = True
        elif lower == b"location":
            self.location = value.decode(errors="replace")
        elif lower == b"content-encoding" and value.lower() != b"identity":
            encoding = value.decode(errors="replace")[:40]
            self._break(f"the answer is compressed ({encoding}), which nobody asked for: no times of tokens")

    def on_headers_complete(self) -> None:
        """The status is known."""
        status = self._parser.get_status_code()
        self._informational = status < 200
        if not self._informational:
            self.status = status
            self.headers_at = self._stamp
            self._streaming = self._streaming and status < 300

    def on_body(self, body: bytes) -> None:
        """Some bytes of the body, out of their chunks."""
        if self._streaming:
            alone = body[:7] == b"data: {" and body[-1:] == b"\n" and body.find(b"\n") == len(body) - 2
            if alone and self._events.between:
                self._take(body[6:-2])  # one whole event, as vLLM writes nearly all of them
                return
            try:
                payloads = self._events.feed(body)
            except EventTooLongError:
                self._break(f"an event is longer than {MOST_EVENT_BYTES >> 20} MiB: no stream of tokens")
                raise  # the parser stops, and the connection is given up
            for payload in payloads:
                self._take(payload)
        elif len(self._body) < (_MOST_WHOLE_BYTES if self.status == 200 else _MOST_ERROR_BYTES):
            self._body += body

    def on_message_complete(self) -> None:
        """The body has ended as HTTP says it must."""
        if self._informational or self.complete:
            return
        if self._streaming:
            for payload in self._events.finish():
                self._take(payload)
        else:
            self._take_whole()
        self.complete = True
        self.completed_at = self._stamp
        self.keep_alive = self._delimited and self._parser.should_keep_alive()

    # Events.

    def _take(self, payload: bytes) -> None:
        if payload == b"[DONE]":
            self.done_mark = True
            return
        try:
            chunk = decode_chunk(payload)
        except UNREADABLE:
            self._cant_read(payload)
            return
        usage, choices = chunk.usage, chunk.choices
        if (
            usage is not None
            and usage.completion_tokens == self._counted + 1
            and choices
            and choices[0].finish_reason is None
            and (choices[0].text or ((delta := choices[0].delta) and delta.content and not delta.role))
            and chunk.error is msgspec.UNSET
        ):
            # One more token with its count is nearly every event there is; the short way for it.
            self._continuous = True
            self._counted += 1
            self.completion_tokens = self._counted
            self.prompt_tokens = usage.prompt_tokens
            self.tokens.arrive(self._stamp, 1)
        else:
            self._take_any(chunk, payload)

    def _take_any(self, chunk: Chunk, payload: bytes) -> None:
        named = chunk.error is not msgspec.UNSET and bytes(chunk.error) != b"null"
        if named or chunk.object == "error":
            try:
                self.error = self.error or msgspec.json.decode(payload)
            except UNREADABLE:  # a number of thousands of digits is one more that a chunk passes over
                self._cant_read(payload)
        else:
            self._take_chunk(chunk)

    def _cant_read(self, payload: bytes) -> None:
        self._break(f"an event can't be read: {payload[:120].decode(errors='replace')}")

    def _take_chunk(self, chunk: Chunk) -> None:
        counted = None
        usage = chunk.usage
        if usage is not None:
            counted = usage.completion_tokens
            if usage.prompt_tokens is not None:
                self.prompt_tokens = usage.prompt_tokens
            if counted is not None:
                self.completion_tokens = counted
        if chunk.metrics is not None:
            self.metrics = chunk.metrics
        if not chunk.choices:
            return
        choice = chunk.choices[0]
        if choice.finish_reason is not None:
            self.finish_reason = choice.finish_reason
        if counted is not None and choice.message is None:
            self._arrive_counted(choice, counted)
        elif _shows_output(choice):
            self.tokens.arrive(self._stamp, 1)

    def _arrive_counted(self, choice: Choice, counted: int) -> None:
        """An event with the running count: tokens may have come without text, or text without tokens."""
        self._continuous = True
        new = counted - self._counted
        delta = choice.delta
        if delta is not None and delta.role and not delta.shows_output():
            return  # the role alone; tokens that it already counts come with the first text
        if new > 0 or (self.tokens.first is None and _shows_output(choice)):
            self.tokens.arrive(self._stamp, max(0, new))
            self._counted = counted

    def _take_whole(self) -> None:
        """A body that is no stream: an error, or a server that ignored `stream`."""
        body = bytes(self._body)
        try:
            answer = msgspec.json.decode(body)
        except UNREADABLE:
            answer = None
        good = self.status is not None and self.status < 300
        if isinstance(answer, dict) and good and "error" not in answer:
            self._take(body)
            # Its end is no first token: of an answer that came whole nobody knows when its tokens were there.
            self.tokens = TokenTimes()
            self.tokens.total = self.completion_tokens or 0
            self._continuous = False
        elif isinstance(answer, dict):
            self.error = answer
        else:
            self.error = body[:500].decode(errors="replace").strip() or None
            if good:
                self._break("the answer is neither a stream of events nor JSON")

    def settle(self) -> None:
        """Settle how tokens were counted; nothing more will be read."""
        self._parser = None  # it refers back to this object
        if self._continuous:
            self.counted_by = "continuous"
        elif self.completion_tokens is not None:
            self.counted_by = "usage"
            if self.tokens.first is not None and self.tokens.total != self.completion_tokens:
                self.tokens.spread(self.completion_tokens)
        elif self.tokens.first is not None:
            self.counted_by = "events"

    def _break(self, why: str) -> None:
        self.broken = self.broken or why


def _shows_output(choice: Choice) -> bool:
    if choice.text:
        return True
    delta = choice.delta or choice.message
    return delta is not None and delta.shows_output()
