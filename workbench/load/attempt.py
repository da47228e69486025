"""One request on its way: its stamps, the reads not looked at yet, its answer so far."""

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
        """The answer has been whole since then: it can carry the next request."""

    def abort(self) -> None:
        """Close at once; what the server still sends is not ours."""


class Attempt:
    """Stamps are `workbench.base.now`; None: not yet, or never."""

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
        """`before`: the attempt that this one repeats; its own delays are the request's."""
        self.request = request
        self.due = due
        self.retries: int = 0 if before is None else before.retries + 1
        self.released: float | None = None if before is None else before.released
        self.sent: float | None = None if before is None else before.sent
        self.done: float | None = None
        self.request_bytes = b""
        self.keeps_request_bytes = False
        """Until it has ended, since it may be sent again."""
        self.connection: Carrier | None = None
        self.connect_ms: float | None = None
        self.reads: list[float | bytes] = []
        """Stamp, bytes, stamp, bytes …: what the socket gave and nobody has read yet."""
        self.reply = Response()
        self.eager = True
        """Look at each read at once: the first token is not there yet, or a token count decides something."""
        self.queued = False
        """Stands in the queue of answers to look at."""
        self.lost: Message | None = None
        """Why the connection ended before the answer."""
        self.cut: tuple[Outcome, Message | None] | None = None
        """We ended it: as what and why."""
        self.in_flight = False
        self.finished = False
        self.timers: list[asyncio.TimerHandle] = []

    def parse(self, most: int) -> bool:
        """Look at up to `most` of the reads kept; True if none is left."""
        reads, read = self.reads, self.reply.read
        count = min(most * 2, len(reads))
        for i in range(0, count, 2):
            read(reads[i], reads[i + 1])  # type: ignore[arg-type] # the list alternates stamps and bytes
        del reads[:count]
        return not reads

    def record(self, zero: float, request_id: str, input_mode: str) -> RequestRecord:
        """What remains of it, once it has ended; stamps become seconds since `zero`."""
        request, reply = self.request, self.reply
        reply.settle()
        # What had been said in full before we ended it counts; it was only not looked at yet.
        outcome, error = self.cut if self.cut and not reply.complete else judge(reply, self.lost)
        tokens, metrics = reply.tokens, reply.metrics
        sent = self.sent
        if sent is not None and tokens.first is not None:
            sent = min(sent, tokens.first)  # stamped late: what was answered had been sent
        return RequestRecord(
            index=request.index,
            row=request.row,
            request_id=request_id,
            cls=request.cls,
            phase="warmup" if request.warmup else "measured",
            session_id=request.session_id,
            turn=request.turn,
            input_tokens=request.input_tokens,
            output_tokens=request.output_tokens,
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


# Sending again what was refused: the way real callers pass overload on (as the OpenAI client does it).

_LONGEST_WAIT_S = 8.0
_LEAST_SHARE = 0.75
"""Of the wait; the rest is left to chance, so that callers refused together don't return together."""
_TRANSIENT = frozenset({408, 409, 429})


class RetryPolicy:
    """Which requests are sent again, and when."""

    def __init__(self, options: LoadOptions, worker: int) -> None:
        self.most = options.max_retries
        self._first_wait_s = options.retry_backoff_s
        self._time_scale = options.time_scale
        self._random = random.Random(f"{options.seed} {worker}")  # noqa: S311 - spreads load, keeps no secret

    def wait_s(self, attempt: Attempt, record: RequestRecord) -> float | None:
        """Wall seconds until this request, ended as `record` says, is sent again; None: it is not."""
        if attempt.retries >= self.most or record.first_token is not None or not _may_pass(record):
            return None
        wait = min(_LONGEST_WAIT_S, self._first_wait_s * 2.0**attempt.retries)
        return wait * self._random.uniform(_LEAST_SHARE, 1.0) / self._time_scale


def _may_pass(record: RequestRecord) -> bool:
    """Whether it may succeed later: overload, a broken server or connection; not a bad request."""
    if record.outcome == Outcome.REJECTED:
        return True
    if record.outcome != Outcome.FAILED:
        return False
    status = record.status
    return status is None or status < 400 or status in _TRANSIENT or status >= 500
