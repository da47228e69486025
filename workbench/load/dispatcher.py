"""The life of each request in one worker: due, released by the cap, sent, looked at, ended."""

import asyncio
from collections import deque
from collections.abc import Iterable

from workbench.base import Message, mask_text, message, now
from workbench.load.alarm import make_alarm
from workbench.load.connection_pool import Pool, Unconnected
from workbench.load.due_queue import Agenda
from workbench.load.in_flight import Flight, RetryPolicy
from workbench.load.messages import Ask, Job
from workbench.load.parse_reads import Digest, Lateness
from workbench.load.progress_reporter import Reporter
from workbench.load.request_body import Bodies, BodyBuilder
from workbench.load.response import without_quotes
from workbench.load.socket_reader import PAUSE_S, make_intake
from workbench.results.run_records import Outcome, RequestRecord

_AT_ONCE = 8
"""Requests sent between two looks at the sockets when many are due together."""
_CONNECT_AHEAD_S = 0.5
_MOST_ERROR_CHARACTERS = 500


class Dispatcher:
    """Sends what is due and ends what must end. Times are of `workbench.base.now`."""

    def __init__(self, job: Job, builder: BodyBuilder, reporter: Reporter) -> None:
        self._loop = asyncio.get_running_loop()
        self._job = job
        self._builder = builder
        self._reporter = reporter
        self.digest = Digest(self._loop, self._seen)
        self.bodies = Bodies(builder, self.digest, job.options.lookahead_bytes)
        self.agenda = Agenda(job.asks, slots=job.slots, length_s=job.length_s, endless=job.endless)
        options = job.options
        self._intake = make_intake(self._loop, _pause_s(job))
        self.pool = Pool(
            job.target.address(),
            job.target.tls(),
            options.connect_timeout_s,
            self.digest,
            self._unreachable,
            self._intake,
        )
        self._secrets = job.target.secrets()
        self._retries = RetryPolicy(options, job.worker)
        self._alarm = make_alarm(self._loop, self._ring)
        self._queue_timeout_s = _scaled(options.queue_timeout_s, options.time_scale)
        self._request_timeout_s = _scaled(options.request_timeout_s, options.time_scale)
        self._held: deque[Flight] = deque()
        """Due, but held by the cap."""
        self._in_flight = 0
        self.zero = float("inf")
        self.open: dict[tuple[bool, int], Flight] = {}
        """All that are due and have not ended, in the order of their due times."""
        self.stopped = False

    def start(self, zero: float) -> None:
        """Begin; the schedule's 0 is at `zero`."""
        self.zero = zero
        self._arm()

    def prepare(self) -> None:
        """Some times a second: build bodies and open connections for what is due soon."""
        options = self._job.options
        started = self.zero != float("inf")
        since = now() - self.zero if started else -options.warmup_s / options.time_scale
        horizon = since + options.lookahead_s
        for ask in self.agenda.to_build(horizon):
            self.bodies.want(ask)
        if started:
            self.pool.keep_ready(self._connections_wanted(since))

    def end_at(self) -> float:
        """When what is still open becomes unfinished."""
        if self._job.length_s is None and not self.agenda.empty:
            return float("inf")  # a closed loop by number goes on until the last one has been sent
        drain = self._job.options.drain_s / self._job.options.time_scale
        return self.zero + max(self._job.length_s or 0.0, self.agenda.last_due) + drain

    @property
    def idle(self) -> bool:
        """Whether everything has ended."""
        return self.agenda.empty and not self.open

    def stop(self, why: Message) -> None:
        """Send no more; end what is open as unfinished."""
        self.stopped = True
        self._alarm.close()
        for flight in list(self.open.values()):
            never = message("load.never_sent", why=why) if flight.sent is None else why
            self._cut(flight, Outcome.UNFINISHED, never)

    def write_off(self, asks: Iterable[tuple[Ask, float | None]]) -> None:
        """Record as unfinished what was never sent, with its due time where that came about."""
        late = message("load.never_sent", why=message("load.client_behind"))
        waiting = message("load.never_due")
        for ask, due in asks:
            flight = Flight(ask, now() if due is None else self.zero + due)
            why = waiting if due is None else late
            if due is not None and self._job.max_in_flight is None:
                flight.released = flight.due  # nothing but the client itself held it
            flight.cut = (Outcome.UNFINISHED, why)
            self._reporter.ended(flight, self._record(flight))

    def close(self) -> None:
        """Close all connections."""
        self.pool.close()
        if self._intake is not None:
            self._intake.close()

    @property
    def lateness(self) -> Lateness:
        """How late its reads were looked at; of none where the event loop reads."""
        return Lateness() if self._intake is None else self._intake.lateness

    # Falling due.

    def _arm(self) -> None:
        due = self.agenda.next_due()
        if due is not None and not self.stopped:
            self._alarm.set(self.zero + due)

    def _ring(self) -> None:
        for _ in range(_AT_ONCE):
            entry = None if self.stopped else self.agenda.pop(now() - self.zero)
            if entry is None:
                self._arm()
                return
            self._fall_due(entry[0], self.zero + entry[1])
        self._loop.call_soon(self._ring)

    def _fall_due(self, ask: Ask, due: float) -> None:
        flight = Flight(ask, due)
        self.open[ask.warmup, ask.index] = flight
        self._reporter.fell_due(flight)
        self._admit(flight, due)

    def _admit(self, flight: Flight, at: float) -> None:
        """Let it pass, or hold it until the cap on requests in flight has room."""
        if flight.cut is not None:
            return
        if flight.ask.cancel_s is not None:
            self._timer(flight, flight.due + flight.ask.cancel_s, Outcome.CANCELLED, None)
        cap = self._job.max_in_flight
        if cap is None or (self._in_flight < cap and not self._held):
            self._release(flight, at)
            return
        self._held.append(flight)
        if self._queue_timeout_s is not None:
            delay = at + self._queue_timeout_s - now()
            flight.timers.append(self._loop.call_later(delay, self._give_up_waiting, flight))

    def _release(self, flight: Flight, at: float) -> None:
        if flight.released is None:
            flight.released = at
        flight.in_flight = True
        self._in_flight += 1
        flight.keeps_request = self._retries.most > 0
        if not flight.request:
            flight.request = self.bodies.take(flight.ask)
        if self._request_timeout_s is not None:
            why = message("load.answer_timeout", seconds=self._request_timeout_s)
            self._timer(flight, at + self._request_timeout_s, Outcome.TIMED_OUT, why)
        self.pool.send(flight)

    # Ending.

    def _seen(self, flight: Flight) -> None:
        """Reads of this flight have been looked at."""
        if flight.finished:
            return
        reply, ask = flight.reply, flight.ask
        if flight.eager and reply.tokens.first is not None:
            self._reporter.first_token(flight)
            flight.eager = ask.cancel_tokens is not None
        if ask.cancel_tokens is not None and reply.received >= ask.cancel_tokens and not reply.complete:
            self._cut(flight, Outcome.CANCELLED, None)
        if flight.reads:
            return
        if flight.lost is not None and flight.done is not None:
            reply.end(flight.done)
        if reply.over or flight.lost is not None or flight.cut is not None:
            self._finish(flight)

    def _cut(self, flight: Flight, outcome: Outcome, why: Message | None) -> None:
        """End it ourselves: close its connection, if it has one."""
        if flight.finished or flight.cut is not None:
            return
        flight.cut = (outcome, why)
        flight.done = now()
        connection, flight.connection = flight.connection, None
        if connection is not None:
            connection.abort()
        self.digest.look(flight)

    def _unreachable(self, flight: Flight, unconnected: Unconnected) -> None:
        if unconnected.ours:
            self._cut(flight, Outcome.UNFINISHED, message("load.never_sent", why=unconnected.why))
            return
        flight.lost = unconnected.why
        flight.done = now()
        self.digest.look(flight)

    def _finish(self, flight: Flight) -> None:
        flight.finished = True
        reply, connection = flight.reply, flight.connection
        if reply.complete:
            flight.done = reply.completed_at
        elif flight.done is None:
            flight.done = now()
        assert flight.done is not None
        for timer in flight.timers:
            timer.cancel()
        flight.timers.clear()
        if connection is not None:
            flight.connection = None
            if reply.complete and reply.keep_alive:
                connection.release(flight.done)
            else:
                connection.abort()
        if flight.in_flight:
            self._in_flight -= 1
            self._let_in(flight.done)
        record = self._record(flight)
        wait = None if self.stopped else self._retries.wait_s(flight, record)
        if wait is not None:
            self._again(flight, flight.done + wait)
            return
        self._reporter.ended(flight, record)
        del self.open[flight.ask.warmup, flight.ask.index]
        if not self.stopped and self.agenda.ended(flight.ask, flight.done - self.zero):
            self._arm()

    def _let_in(self, freed_at: float) -> None:
        """The cap has room again."""
        while self._held and not self.stopped:
            flight = self._held.popleft()
            if flight.cut is None:
                self._release(flight, max(freed_at, flight.due))
                return

    def _again(self, flight: Flight, at: float) -> None:
        """Send it once more at `at`; until then it is open, but not in flight."""
        retry = Flight(flight.ask, flight.due, flight)
        retry.request = flight.request
        self.open[flight.ask.warmup, flight.ask.index] = retry
        self._loop.call_later(max(0.0, at - now()), self._admit, retry, at)

    def _record(self, flight: Flight) -> RequestRecord:
        request_id = self._builder.request_id(flight.ask)
        record = flight.record(self.zero, request_id, self._builder.input_mode)
        if record.error is not None:  # a server may send back what it was sent
            record.error = mask_text(record.error, self._secrets)[:_MOST_ERROR_CHARACTERS]
        return without_quotes(record) if self._job.texts and flight.cut is None else record

    def _timer(self, flight: Flight, when: float, outcome: Outcome, why: Message | None) -> None:
        flight.timers.append(self._loop.call_later(when - now(), self._cut, flight, outcome, why))

    def _give_up_waiting(self, flight: Flight) -> None:
        if not flight.in_flight:
            why = message("load.held_by_cap", seconds=self._queue_timeout_s)
            self._cut(flight, Outcome.TIMED_OUT, why)

    # Looking ahead.

    def _connections_wanted(self, since: float) -> int:
        wanted = self.agenda.due_within(since, since + _CONNECT_AHEAD_S)
        cap = self._job.max_in_flight
        return wanted if cap is None else min(wanted, max(0, cap - self._in_flight))


def _pause_s(job: Job) -> float:
    """Where requests fall due when others end, those ends are looked at as they come."""
    waited_for = job.slots is not None or any(ask.after is not None for ask in job.asks)
    return 0.0 if waited_for or job.max_in_flight is not None else PAUSE_S


def _scaled(seconds: float | None, scale: float) -> float | None:
    return None if seconds is None else seconds / scale
