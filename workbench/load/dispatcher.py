"""The way of each request through one worker: due, released by the cap, sent, parsed, ended."""

import asyncio
from collections import deque
from collections.abc import Iterable

from workbench.base import Message, mask_text, message, now
from workbench.load.alarm import make_alarm
from workbench.load.attempt import Attempt, RetryPolicy
from workbench.load.connection_pool import ConnectionPool, Unconnected
from workbench.load.due_queue import DueQueue
from workbench.load.messages import LoadRequest, WorkerJob
from workbench.load.parse_reads import ReadLateness, ReadParser
from workbench.load.progress_reporter import ProgressReporter
from workbench.load.request_body import Bodies, BodyBuilder
from workbench.load.response import without_quotes
from workbench.load.socket_reader import PAUSE_S, make_socket_reader
from workbench.results.run_records import Outcome, RequestRecord

_AT_ONCE = 8
"""Requests sent between two polls of the sockets when many are due together."""
_CONNECT_AHEAD_S = 0.5
_MOST_ERROR_CHARACTERS = 500


class Dispatcher:
    """Sends requests when they are due and ends them. Times are of `workbench.base.now`."""

    def __init__(self, job: WorkerJob, builder: BodyBuilder, reporter: ProgressReporter) -> None:
        self._loop = asyncio.get_running_loop()
        self._job = job
        self._builder = builder
        self._reporter = reporter
        self.parser = ReadParser(self._loop, self._on_parsed)
        self.bodies = Bodies(builder, self.parser, job.options.lookahead_bytes)
        self.due_queue = DueQueue(job.requests, slots=job.slots, length_s=job.length_s, endless=job.endless)
        options = job.options
        self._socket_reader = make_socket_reader(self._loop, _pause_s(job))
        self.pool = ConnectionPool(
            job.target.address(),
            job.target.tls(),
            options.connect_timeout_s,
            self.parser,
            self._unreachable,
            self._socket_reader,
        )
        self._secrets = job.target.secrets()
        self._retries = RetryPolicy(options, job.worker)
        self._alarm = make_alarm(self._loop, self._on_alarm)
        self._queue_timeout_s = _scaled(options.queue_timeout_s, options.time_scale)
        self._request_timeout_s = _scaled(options.request_timeout_s, options.time_scale)
        self._held: deque[Attempt] = deque()
        """Due, but held back by the cap."""
        self._in_flight = 0
        self.zero = float("inf")
        self.open: dict[tuple[bool, int], Attempt] = {}
        """Requests that are due and have not ended, in the order of their due times."""
        self.stopped = False

    def start(self, zero: float) -> None:
        """Begin; the schedule starts at `zero`."""
        self.zero = zero
        self._schedule_alarm()

    def prepare(self) -> None:
        """Build bodies and open connections for requests that are due soon; called some times a second."""
        options = self._job.options
        started = self.zero != float("inf")
        since = now() - self.zero if started else -options.warmup_s / options.time_scale
        horizon = since + options.lookahead_s
        for request in self.due_queue.to_build(horizon):
            self.bodies.build_ahead(request)
        if started:
            self.pool.keep_ready(self._connections_wanted(since))

    def end_at(self) -> float:
        """Return the time at which open requests become unfinished."""
        if self._job.length_s is None and not self.due_queue.empty:
            return float("inf")  # a closed loop by number lasts until the last request is sent
        drain = self._job.options.drain_s / self._job.options.time_scale
        return self.zero + max(self._job.length_s or 0.0, self.due_queue.last_due) + drain

    @property
    def idle(self) -> bool:
        """All requests have ended."""
        return self.due_queue.empty and not self.open

    def stop(self, why: Message) -> None:
        """Send no more; end open requests as unfinished."""
        self.stopped = True
        self._alarm.close()
        for attempt in list(self.open.values()):
            never = message("load.never_sent", why=why) if attempt.sent is None else why
            self._cut(attempt, Outcome.UNFINISHED, never)

    def write_off(self, requests: Iterable[tuple[LoadRequest, float | None]]) -> None:
        """Record unsent requests as unfinished, with their due time if it is known."""
        late = message("load.never_sent", why=message("load.client_behind"))
        waiting = message("load.never_due")
        for request, due in requests:
            attempt = Attempt(request, now() if due is None else self.zero + due)
            why = waiting if due is None else late
            if due is not None and self._job.max_in_flight is None:
                attempt.released = attempt.due  # only the client itself held it back
            attempt.cut = (Outcome.UNFINISHED, why)
            self._reporter.ended(attempt, self._record(attempt))

    def close(self) -> None:
        """Close all connections."""
        self.pool.close()
        if self._socket_reader is not None:
            self._socket_reader.close()

    @property
    def lateness(self) -> ReadLateness:
        """Lateness of the socket reads; empty if the event loop reads."""
        return ReadLateness() if self._socket_reader is None else self._socket_reader.lateness

    # Falling due.

    def _schedule_alarm(self) -> None:
        due = self.due_queue.next_due()
        if due is not None and not self.stopped:
            self._alarm.set(self.zero + due)

    def _on_alarm(self) -> None:
        for _ in range(_AT_ONCE):
            entry = None if self.stopped else self.due_queue.pop(now() - self.zero)
            if entry is None:
                self._schedule_alarm()
                return
            self._on_due(entry[0], self.zero + entry[1])
        self._loop.call_soon(self._on_alarm)

    def _on_due(self, request: LoadRequest, due: float) -> None:
        attempt = Attempt(request, due)
        self.open[request.warmup, request.index] = attempt
        self._reporter.fell_due(attempt)
        self._admit(attempt, due)

    def _admit(self, attempt: Attempt, at: float) -> None:
        """Release it, or hold it until the cap on requests in flight has room."""
        if attempt.cut is not None:
            return
        if attempt.request.cancel_s is not None:
            self._timer(attempt, attempt.due + attempt.request.cancel_s, Outcome.CANCELLED, None)
        cap = self._job.max_in_flight
        if cap is None or (self._in_flight < cap and not self._held):
            self._release(attempt, at)
            return
        self._held.append(attempt)
        if self._queue_timeout_s is not None:
            delay = at + self._queue_timeout_s - now()
            attempt.timers.append(self._loop.call_later(delay, self._give_up_waiting, attempt))

    def _release(self, attempt: Attempt, at: float) -> None:
        if attempt.released is None:
            attempt.released = at
        attempt.in_flight = True
        self._in_flight += 1
        attempt.keeps_request_bytes = self._retries.most > 0
        if not attempt.request_bytes:
            attempt.request_bytes = self.bodies.pop(attempt.request)
        if self._request_timeout_s is not None:
            why = message("load.answer_timeout", seconds=self._request_timeout_s)
            self._timer(attempt, at + self._request_timeout_s, Outcome.TIMED_OUT, why)
        self.pool.send(attempt)

    # Ending.

    def _on_parsed(self, attempt: Attempt) -> None:
        """Act on newly parsed reads of an attempt."""
        if attempt.finished:
            return
        reply, request = attempt.reply, attempt.request
        if attempt.eager and reply.tokens.first is not None:
            self._reporter.first_token(attempt)
            attempt.eager = request.cancel_tokens is not None
        if (
            request.cancel_tokens is not None
            and reply.received >= request.cancel_tokens
            and not reply.complete
        ):
            self._cut(attempt, Outcome.CANCELLED, None)
        if attempt.reads:
            return
        if attempt.lost is not None and attempt.done is not None:
            reply.end(attempt.done)
        if reply.over or attempt.lost is not None or attempt.cut is not None:
            self._finish(attempt)

    def _cut(self, attempt: Attempt, outcome: Outcome, why: Message | None) -> None:
        """End an attempt from this side and close its connection, if it has one."""
        if attempt.finished or attempt.cut is not None:
            return
        attempt.cut = (outcome, why)
        attempt.done = now()
        connection, attempt.connection = attempt.connection, None
        if connection is not None:
            connection.abort()
        self.parser.parse_soon(attempt)

    def _unreachable(self, attempt: Attempt, unconnected: Unconnected) -> None:
        if unconnected.ours:
            self._cut(attempt, Outcome.UNFINISHED, message("load.never_sent", why=unconnected.why))
            return
        attempt.lost = unconnected.why
        attempt.done = now()
        self.parser.parse_soon(attempt)

    def _finish(self, attempt: Attempt) -> None:
        attempt.finished = True
        reply, connection = attempt.reply, attempt.connection
        if reply.complete:
            attempt.done = reply.completed_at
        elif attempt.done is None:
            attempt.done = now()
        assert attempt.done is not None
        for timer in attempt.timers:
            timer.cancel()
        attempt.timers.clear()
        if connection is not None:
            attempt.connection = None
            if reply.complete and reply.keep_alive:
                connection.release(attempt.done)
            else:
                connection.abort()
        if attempt.in_flight:
            self._in_flight -= 1
            self._release_next_held(attempt.done)
        record = self._record(attempt)
        wait = None if self.stopped else self._retries.wait_s(attempt, record)
        if wait is not None:
            self._schedule_retry(attempt, attempt.done + wait)
            return
        self._reporter.ended(attempt, record)
        del self.open[attempt.request.warmup, attempt.request.index]
        if not self.stopped and self.due_queue.ended(attempt.request, attempt.done - self.zero):
            self._schedule_alarm()

    def _release_next_held(self, freed_at: float) -> None:
        """Release the next held request: the cap has room again."""
        while self._held and not self.stopped:
            attempt = self._held.popleft()
            if attempt.cut is None:
                self._release(attempt, max(freed_at, attempt.due))
                return

    def _schedule_retry(self, attempt: Attempt, at: float) -> None:
        """Send the request once more at `at`; until then it is open, but not in flight."""
        retry = Attempt(attempt.request, attempt.due, attempt)
        retry.request_bytes = attempt.request_bytes
        self.open[attempt.request.warmup, attempt.request.index] = retry
        self._loop.call_later(max(0.0, at - now()), self._admit, retry, at)

    def _record(self, attempt: Attempt) -> RequestRecord:
        request_id = self._builder.request_id(attempt.request)
        record = attempt.record(self.zero, request_id, self._builder.input_mode)
        if record.error is not None:  # a server may quote the request
            record.error = mask_text(record.error, self._secrets)[:_MOST_ERROR_CHARACTERS]
        return without_quotes(record) if self._job.texts and attempt.cut is None else record

    def _timer(self, attempt: Attempt, when: float, outcome: Outcome, why: Message | None) -> None:
        attempt.timers.append(self._loop.call_later(when - now(), self._cut, attempt, outcome, why))

    def _give_up_waiting(self, attempt: Attempt) -> None:
        if not attempt.in_flight:
            why = message("load.held_by_cap", seconds=self._queue_timeout_s)
            self._cut(attempt, Outcome.TIMED_OUT, why)

    # Looking ahead.

    def _connections_wanted(self, since: float) -> int:
        wanted = self.due_queue.due_within(since, since + _CONNECT_AHEAD_S)
        cap = self._job.max_in_flight
        return wanted if cap is None else min(wanted, max(0, cap - self._in_flight))


def _pause_s(job: WorkerJob) -> float:
    """Return the longest pause between two reads: none if requests fall due when others end."""
    waited_for = job.slots is not None or any(request.after is not None for request in job.requests)
    return 0.0 if waited_for or job.max_in_flight is not None else PAUSE_S


def _scaled(seconds: float | None, scale: float) -> float | None:
    return None if seconds is None else seconds / scale
