"""Attempts to get an answer to a request, and the policy of retries."""

import asyncio
import random
from typing import Protocol

from workbench.base import Message
from workbench.load.messages import LoadRequest
from workbench.load.options import LoadOptions
from workbench.load.response import Response, judge
from workbench.results.run_records import Outcome, RequestRecord


class Carrier(Protocol):
    """The part of a connection that ends an attempt."""

    def release(self, since: float) -> None:
        """Carry the next request; the answer has been complete since `since`."""

    def abort(self) -> None:
        """Close at once and drop what the server still sends."""


class Attempt:
    """One attempt at a request: its stamps, unparsed reads and answer so far.

    Stamps are `workbench.base.now`; None: not yet, or never.

    Args:
        request: to be sent.
        due: its due time.
        before: the attempt that this one repeats; its release and sending count for the request.
    """

    __slots__ = (
        "connect_ms",
        "connection",
        "cut",
        "done",
        "due",
        "eager",
        "finished",
        "in_flight",
        "keeps_request_bytes",
        "lost",
        "queued",
        "reads",
        "released",
        "reply",
        "request",
        "request_bytes",
        "retries",
        "sent",
        "timers",
    )

    def __init__(self, request: LoadRequest, due: float, before: "Attempt | None" = None) -> None:
        self.request = request
        self.due = due
        self.retries: int = 0 if before is None else before.retries + 1
        self.released: float | None = None if before is None else before.released
        self.sent: float | None = None if before is None else before.sent
        self.done: float | None = None
        self.request_bytes = b""
        self.keeps_request_bytes = False
        """Keep the bytes until the end, since they may be sent again."""
        self.connection: Carrier | None = None
        self.connect_ms: float | None = None
        self.reads: list[float | bytes] = []
        """Unparsed socket reads: stamp, bytes, stamp, bytes …"""
        self.reply = Response()
        self.eager = True
        """Parse each read at once: the first token is missing, or the token count may end the request."""
        self.queued = False
        """In the parser's queue."""
        self.lost: Message | None = None
        """Reason for which the connection ended before the answer."""
        self.cut: tuple[Outcome, Message | None] | None = None
        """Outcome and reason, if the client ended it."""
        self.in_flight = False
        self.finished = False
        self.timers: list[asyncio.TimerHandle] = []

    def parse(self, most: int) -> bool:
        """Parse up to `most` reads; returns whether none is left."""
        reads, read = self.reads, self.reply.read
        count = min(most * 2, len(reads))
        for i in range(0, count, 2):
            read(reads[i], reads[i + 1])  # type: ignore[arg-type] # the list alternates stamps and bytes
        del reads[:count]
        return not reads

    def record(self, zero: float, request_id: str, input_mode: str) -> RequestRecord:
        """Return its record once it has ended; stamps become seconds since `zero`."""
        request, reply = self.request, self.reply
        reply.settle()
        # An answer that was complete before we ended it counts: it was only not parsed yet.
        outcome, error = self.cut if self.cut and not reply.complete else judge(reply, self.lost)
        tokens, metrics = reply.tokens, reply.metrics
        sent = self.sent
        if sent is not None and tokens.first is not None:
            sent = min(sent, tokens.first)  # stamped late: an answered request had been sent
        return request.record(
            request_id,
            due=self.due - zero,
            released=_since(self.released, zero),
            sent=_since(sent, zero),
            first_token=_since(tokens.first, zero),
            last_token=_since(tokens.last, zero),
            done=_since(self.done, zero) if self.sent is not None or self.cut is None else None,
            connect_ms=self.connect_ms,
            outcome=outcome,
            finish_reason=reply.finish_reason,
            status=reply.status,
            error=None if error is None else str(error),
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            tokens=tokens.total if reply.counted_by else None,
            token_source=reply.counted_by,
            first_event_tokens=tokens.first_count,
            gaps_ms=tokens.gaps_ms(),
            gap_tokens=tokens.gap_tokens(),
            queue_ms=metrics.queue_time_ms if metrics else None,
            prefill_ms=metrics.time_to_first_token_ms if metrics else None,
            requeue_wait_ms=metrics.requeue_wait_ms if metrics else None,
            retries=self.retries,
            input_mode=input_mode,
        )


def _since(stamp: float | None, zero: float) -> float | None:
    return None if stamp is None else stamp - zero


# Retries of refused requests, as real callers do (such as the OpenAI client).

_LONGEST_WAIT_S = 8.0
_LEAST_SHARE = 0.75
"""Least share of the wait; the rest is random, so that callers refused together don't return together."""
_TRANSIENT = frozenset({408, 409, 429})


class RetryPolicy:
    """Decides which requests are sent again, and when."""

    def __init__(self, options: LoadOptions, worker: int) -> None:
        self.most = options.max_retries
        self._first_wait_s = options.retry_backoff_s
        self._time_scale = options.time_scale
        self._random = random.Random(f"{options.seed} {worker}")  # noqa: S311 - spreads load, keeps no secret

    def wait_s(self, attempt: Attempt, record: RequestRecord) -> float | None:
        """Return the wall seconds until this request, ended as `record`, is sent again; None: never."""
        if attempt.retries >= self.most or record.first_token is not None or not _may_pass(record):
            return None
        wait = min(_LONGEST_WAIT_S, self._first_wait_s * 2.0**attempt.retries)
        return wait * self._random.uniform(_LEAST_SHARE, 1.0) / self._time_scale


def _may_pass(record: RequestRecord) -> bool:
    """Return whether it may succeed later: after overload or a broken connection, not a bad request."""
    if record.outcome == Outcome.REJECTED:
        return True
    if record.outcome != Outcome.FAILED:
        return False
    status = record.status
    return status is None or status < 400 or status in _TRANSIENT or status >= 500
