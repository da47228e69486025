"""An HTTP answer, read by read: status, stream of events, tokens with their times, usage, errors.

Nothing here runs while bytes arrive: the connection keeps (stamp, bytes), and `parse_reads` parses later. An
event has the stamp of the read that completed it.

Servers put usage into every event, into the last, or nowhere, and some write zeros until the last. So
`settle` decides the meaning of the counts once all of them are known.
"""

import re
from typing import Any

import httptools
import msgspec

from workbench.base import UNREADABLE, Message, message
from workbench.load.forms import BLANK, Form, JsonLines, form_of, is_compression
from workbench.load.stream_chunks import (
    MOST_EVENT_BYTES,
    Chunk,
    ChunkChoice,
    ErrorEvent,
    Event,
    EventSplitter,
    EventTooLongError,
    ServerMetrics,
    decode_chunk,
    decode_leniently,
    is_error,
    other_output,
)
from workbench.load.token_times import TokenTimes
from workbench.results.run_records import Outcome, RequestRecord
from workbench.vllm_dialect import error_message, is_rejection

_MOST_ERROR_BYTES = 65_536
_MOST_WHOLE_BYTES = 64 << 20
"""Bytes of an answer that is not a stream."""
_MOST_WORDS = 300
_NO_WORDS = "an error event without words"
_NOTHING = frozenset({b"", b"null", b'""', b"{}"})
"""Data of events that only keep a connection open."""


class Response:
    """Content of an answer; call `read` in order, then `end` when the connection closes."""

    __slots__ = (
        "_body", "_counted", "_delimited", "_events", "_first_count", "_form", "_informational", "_kind",
        "_lines", "_parser", "_runs", "_stamp", "_strange",
        "broken", "complete", "completed_at", "completion_tokens", "counted_by", "done_mark", "error",
        "finish_reason", "headers_at", "keep_alive", "location", "metrics", "prompt_tokens", "status",
        "tokens",
    )  # fmt: skip

    def __init__(self) -> None:
        self._parser: Any = httptools.HttpResponseParser(self)
        self._events = EventSplitter()
        self._lines = JsonLines()
        self._body = bytearray()
        """Bytes of an unknown form, or not of a stream."""
        self._kind = b""
        """The Content-Type in lower case."""
        self._form: Form | None = None
        self._delimited = False
        self._informational = False
        self._runs = True
        """The usage beside the choices may still be a running count."""
        self._counted = 0
        """The last running count."""
        self._first_count = 1
        self._strange = b""
        """Last event that was neither output nor usage."""
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
        """Address of a redirect."""
        self.error: Any = None
        """Decoded object with an `error`, or the text of another body."""
        self.broken: Message | None = None
        """Reason for which the bytes can't be read."""

    @property
    def over(self) -> bool:
        """No more bytes can change it: it ended, or it isn't HTTP."""
        return self._parser is None

    def read(self, stamp: float, data: bytes) -> None:
        """Parse one socket read."""
        if self._parser is None:
            if self.complete:
                self.keep_alive = False  # bytes after the end: don't use the connection again
            return
        self._stamp = stamp
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            if not self.complete:
                self._break(message("load.not_http", cause=str(error)))
            self.keep_alive = False
            self._parser = None
        if self.complete:
            self._parser = None  # it refers back to this object

    def end(self, stamp: float) -> None:
        """Note that the connection closed, which ends a body without a length or chunks."""
        if self._parser is not None and self.headers_at is not None and not self._delimited:
            self._stamp = stamp
            self.on_message_complete()
        self._parser = None

    # Callbacks of httptools.

    def on_header(self, name: bytes, value: bytes) -> None:
        """Handle a header line."""
        lower = name.lower()
        if lower == b"content-type":
            self._kind = value.lower()
        elif lower in {b"content-length", b"transfer-encoding"}:
            self._delimited = True
        elif lower == b"location":
            self.location = value.decode(errors="replace")
        elif lower == b"content-encoding" and is_compression(value):
            encoding = value.decode(errors="replace")[:40]
            self._break(message("load.compressed", encoding=encoding))

    def on_headers_complete(self) -> None:
        """Handle the status."""
        status = self._parser.get_status_code()
        self._informational = status < 200
        if not self._informational:
            self.status = status
            self.headers_at = self._stamp
            if status >= 300:
                self._form = Form.TEXT

    def on_body(self, body: bytes) -> None:
        """Handle bytes of the body, without their chunk frames."""
        if self._form is Form.EVENTS:
            alone = body[:7] == b"data: {" and body[-1:] == b"\n" and body.find(b"\n") == len(body) - 2
            if alone and self._events.between:
                self._read_event(body[6:-2])  # exactly one event, as vLLM writes nearly all of them
            else:
                self._split_events(body)
        elif self._form is Form.JSON:
            self._read_lines(body)
        elif self._form is None:
            self._body = (self._body + body).lstrip(BLANK)
            self._form = form_of(bytes(self._body[:64]), self._kind)
            if self._form in {Form.EVENTS, Form.JSON}:
                body, self._body = bytes(self._body), bytearray()
                self.on_body(body)
        elif len(self._body) < _MOST_ERROR_BYTES:
            self._body += body

    def on_message_complete(self) -> None:
        """Handle the end of the body, as HTTP defines it."""
        if self._informational or self.complete:
            return
        if self._form is Form.EVENTS:
            self._read_events(self._events.finish())
        elif self._lines.lines:
            self._read_event(self._lines.rest())
        else:
            self._read_whole(self._lines.rest() or bytes(self._body))
        self.complete = True
        self.completed_at = self._stamp
        self.keep_alive = self._delimited and self._parser.should_keep_alive()

    @property
    def received(self) -> int:
        """Tokens so far, as far as they can be counted before the end."""
        return self.tokens.total if self._counted != self._first_count else self.tokens.events

    @property
    def last_words(self) -> str:
        """The server's last words besides output: a comment, or an event of another form."""
        words = self._strange or self._events.last_comment
        return words[:_MOST_WORDS].decode(errors="replace").strip()

    # Events.

    def _split_events(self, body: bytes) -> None:
        try:
            events = self._events.feed(body)
        except EventTooLongError:
            self._break(message("load.event_too_long", mib=MOST_EVENT_BYTES >> 20))
            raise  # the HTTP parser stops, and the connection is dropped
        self._read_events(events)

    def _read_events(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, ErrorEvent):
                self._read_error(event.words)
            else:
                self._read_event(event)

    def _read_lines(self, body: bytes) -> None:
        if len(self._lines) > _MOST_WHOLE_BYTES:
            return
        now = self._stamp
        for stamp, line in self._lines.feed(now, body):
            self._stamp = stamp
            self._read_event(line)
        self._stamp = now

    def _read_event(self, payload: bytes) -> None:
        if payload == b"[DONE]":
            self.done_mark = True
            return
        try:
            chunk = decode_chunk(payload)
        except UNREADABLE:
            self._read_unusual(payload)
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
            # Fast path: nearly every event is one more token with its count.
            self._counted += 1
            self.completion_tokens = self._counted
            self.prompt_tokens = usage.prompt_tokens
            self.tokens.arrive(self._stamp, 1)
        else:
            self._read_checked(chunk, payload)

    def _read_unusual(self, payload: bytes) -> None:
        """Read an event in another form than vLLM's."""
        payload = payload.strip()
        if payload == b"[DONE]":
            self.done_mark = True
        elif payload not in _NOTHING:
            try:
                self._read_checked(decode_leniently(payload), payload)
            except UNREADABLE:
                self._break_at(payload)

    def _read_checked(self, chunk: Chunk, payload: bytes) -> None:
        try:
            if chunk.object == "error" or (
                chunk.error is not msgspec.UNSET and is_error(msgspec.json.decode(chunk.error))
            ):
                self.error = self.error or msgspec.json.decode(payload)
                return
        except UNREADABLE:  # such as a number of thousands of digits, which a chunk skips
            self._break_at(payload)
            return
        self._read_chunk(chunk, payload)

    def _read_error(self, words: bytes) -> None:
        """Read an event that is an error by its name."""
        try:
            said = msgspec.json.decode(words)
        except UNREADABLE:
            said = words[:_MOST_WORDS].decode(errors="replace")
        if isinstance(said, dict) and not is_error(said.get("error")):
            said = {"error": said}
        self.error = self.error or said or _NO_WORDS

    def _break_at(self, payload: bytes) -> None:
        self._break(message("load.unreadable_event", event=payload[:120].decode(errors="replace")))

    def _read_chunk(self, chunk: Chunk, payload: bytes) -> None:
        counted = None
        usage = chunk.usage
        if usage is not None:
            counted = usage.completion_tokens
            # A server that doesn't count writes zeros: they don't replace a count.
            self.prompt_tokens = usage.prompt_tokens or self.prompt_tokens
            if counted or self.completion_tokens is None:
                self.completion_tokens = counted
        if chunk.metrics is not None:
            self.metrics = chunk.metrics
        if not chunk.choices:
            if usage is None and chunk.metrics is None:
                self._strange = payload
            return
        choice = chunk.choices[0]
        if choice.finish_reason is not None:
            self.finish_reason = choice.finish_reason
        self._arrive(choice, counted, payload)

    def _arrive(self, choice: ChunkChoice, counted: int | None, payload: bytes) -> None:
        """Count an event with a choice: output, a count beside it, both or neither."""
        shown = _shows_output(choice) or (choice.text is None and other_output(payload))
        if self._runs and ((shown and not counted) or (counted is not None and counted < self._counted)):
            self._runs = False
            self.tokens.by_events()
        if not self._runs:
            if shown:
                self.tokens.arrive(self._stamp, 1)
            return
        if counted is None or (choice.delta is not None and choice.delta.role and not shown):
            return  # only the role; tokens that it counts arrive with the first text
        new = counted - self._counted
        if new and not self._counted:
            self._first_count = counted
        if new or shown:
            # Tokens may arrive without text, and text without tokens.
            self.tokens.arrive(self._stamp, new, int(shown))
            self._counted = counted

    def _read_whole(self, body: bytes) -> None:
        """Read a body that is not a stream: an error, or the answer of a server that ignored `stream`."""
        answer, good = _answer_of(body), self.status is not None and self.status < 300
        if isinstance(answer, dict) and good and not is_error(answer.get("error")) and "choices" in answer:
            self._read_event(body)
            # An answer that arrives in one piece has no token times; its end is not a first token.
            if self.tokens.events and not self.completion_tokens:
                self.completion_tokens = None
            self.tokens, self._runs = TokenTimes(), False
        elif isinstance(answer, dict):
            self.error = answer
        elif good:
            empty = message("load.empty_answer")
            self._break(message("load.not_a_stream", answer=str(answer)) if answer else empty)
        else:
            self.error = answer or None

    def settle(self) -> None:
        """Decide how tokens were counted, after the last read."""
        self._parser = None  # it refers back to this object
        tokens = self.tokens
        if tokens.events and self.completion_tokens == 0:
            self.completion_tokens = None  # there was output: the server does not count
        self.prompt_tokens = self.prompt_tokens or None
        final_count = self.completion_tokens
        if self._is_running_count(final_count):
            self.counted_by = "continuous"
            tokens.by_counts()
        elif final_count is not None:
            self.counted_by = "usage"
            tokens.by_events()
            if tokens.events != final_count:
                tokens.without_counts(final_count)
        elif tokens.first is not None:
            self.counted_by = "events"
            tokens.without_counts(tokens.events)

    def _is_running_count(self, final_count: int | None) -> bool:
        """Return whether the counts beside the choices were a running count.

        A running count rises with the output from the first event to the end. A count that came once or stood
        still is that of the complete answer, unless only one event had output.
        """
        if not self._runs or not self._counted or self._counted != final_count:
            return False
        return self._counted != self._first_count or self.tokens.events == 1 or self._counted == 1

    def _break(self, why: Message) -> None:
        self.broken = self.broken or why


def _answer_of(body: bytes) -> Any:
    """Decode a complete body, or return its text; some servers send errors as one event."""
    try:
        return msgspec.json.decode(body)
    except UNREADABLE:
        pass
    text = body[:500].decode(errors="replace").strip()
    splitter = EventSplitter()
    try:
        events = [*splitter.feed(body), *splitter.finish()]
        words = [event.words if isinstance(event, ErrorEvent) else event for event in events]
        return msgspec.json.decode(words[0]) if words else text
    except (EventTooLongError, *UNREADABLE):
        return text


def _shows_output(choice: ChunkChoice) -> bool:
    if choice.text:
        return True
    delta = choice.delta or choice.message
    return delta is not None and delta.shows_output()


# Exactly one outcome for each request (docs/explanation/figures.md, "Outcomes").

_GOOD_ENDINGS = frozenset({"stop", "length", "tool_calls", "repetition"})

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SIGN_OF_LIFE = re.compile(r"\bping\b|keep.?alive|heart.?beat|\bprocessing\b", re.IGNORECASE)
"""Comments that only keep a connection open."""


def judge(reply: Response, lost: Message | None) -> tuple[Outcome, Message | None]:
    """Return the outcome of an answer that ended by itself, and the reason unless it is `completed`.

    `lost` says why the connection ended before the answer did; None: the answer ended as HTTP says.
    """
    ended = reply.complete or (reply.done_mark and reply.finish_reason is not None)
    if reply.status is not None and not 200 <= reply.status < 300 and (reply.complete or not lost):
        text = _redirect(reply) or _text_of(reply.error)
        rejected = reply.status == 503 and is_rejection(reply.error)
        outcome = Outcome.REJECTED if rejected else Outcome.FAILED
        if not text:
            return outcome, message("load.http_status", status=reply.status)
        return outcome, message("load.http_error", status=reply.status, text=text)
    if reply.error is not None:
        outcome = Outcome.REJECTED if is_rejection(reply.error) else Outcome.FAILED
        text = _text_of(reply.error)
        return outcome, message("load.error_event", text=text) if text else message("load.bare_error_event")
    if reply.broken:
        return Outcome.FAILED, reply.broken
    if not ended:
        return Outcome.FAILED, _with_words(lost or message("load.closed_before_end"), reply)
    if reply.finish_reason in _GOOD_ENDINGS:
        return Outcome.COMPLETED, None
    if reply.finish_reason is None:
        return Outcome.FAILED, _with_words(message("load.no_finish_reason"), reply)
    return Outcome.FAILED, message("load.bad_finish_reason", reason=reply.finish_reason)


def _with_words(why: Message, reply: Response) -> Message:
    """Add the server's last words besides output, unless they only kept the connection open."""
    words = reply.last_words
    if not words or _SIGN_OF_LIFE.search(words):
        return why
    return message("load.last_words", why=why, words=words)


def without_quotes(record: RequestRecord) -> RequestRecord:
    """Remove the server's own words from a record: they may quote a real prompt or answer."""
    if record.error is not None:
        status = record.status
        if status is not None and status >= 300:
            said = message("load.http_status", status=status)
        else:
            said = message("load.no_whole_answer")
        record.error = str(message("load.quotes_left_out", said=said))
    return record


def _redirect(reply: Response) -> Message | None:
    """The address to which the server redirects, without its query, which may hold a key."""
    if reply.location is None or reply.status not in _REDIRECTS:
        return None
    return message("load.redirected", url=reply.location.partition("?")[0][:200])


def _text_of(answer: object) -> str:
    if isinstance(answer, dict):
        text = error_message(answer) or str(answer.get("message") or answer.get("detail") or answer)
    else:
        text = str(answer or "")
    return " ".join(text.split())
