"""Followers of a running plan in other processes: events out and commands in, over a private socket.

A follower first gets the events that describe the plan's state, then every further one. It never delays the
plan: a follower that doesn't read is dropped.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

from workbench.base import InputError, Message, message
from workbench.experiments.run.channel import COMMANDS, BoundedLines, Emit, UserRequests, command_of
from workbench.experiments.run.events import (
    ClientCalibrated,
    Event,
    ExperimentFinished,
    ExperimentStarted,
    LimitsReported,
    Progress,
    RunFinished,
    RunStarted,
    ServerState,
    StepsRecorded,
    as_data,
    encode_event,
    notice,
)
from workbench.experiments.run.plan_registry import PlanRegistration, has_sockets

MOST_UNREAD = 8 * 1024 * 1024
"""Bytes that may wait for one follower, about an hour of a plan."""
_MOST_FOLLOWERS = 16
_LAST_S = 2.0
"""Seconds that the plan's end waits for followers to read the last events."""
_SENT_FIRST = (
    ExperimentStarted,
    ClientCalibrated,
    ServerState,
    LimitsReported,
    RunStarted,
    StepsRecorded,
    Progress,
    ExperimentFinished,
)
"""Kinds of events that describe the plan's state; a new follower gets the last of each, in this order."""


class Followers:
    """Passes events on and sends them to all followers of the plan."""

    def __init__(self, emit: Emit, requests: UserRequests) -> None:
        self._emit = emit
        self._requests = requests
        self._say: Emit = self
        self._last: dict[type[Event], Event] = {}
        self._following: list[asyncio.StreamWriter] = []

    def __call__(self, event: Event) -> None:
        """Pass the event on, and send it to the followers."""
        self._emit(event)
        self._keep(event)
        if self._following:
            line = encode_event(event)
            for writer in list(self._following):
                self._send(writer, line)

    @contextlib.asynccontextmanager
    async def listening(self, announced: PlanRegistration, say: Emit) -> AsyncIterator[None]:
        """Accept followers until the context ends; if that isn't possible, warn through `say`."""
        self._say = say
        listener = self._bound(announced) if has_sockets() else None
        if listener is None:
            yield
            return
        server = await asyncio.start_unix_server(self._serve, sock=listener)
        try:
            self._announce(announced)
            yield
        finally:
            server.close()
            await self._close_all()

    def _bound(self, announced: PlanRegistration) -> socket.socket | None:
        try:
            return announced.bind()
        except OSError as error:
            self._warn_later(message("experiments.not_reachable", reason=error.strerror or str(error)))
            return None

    def _announce(self, announced: PlanRegistration) -> None:
        try:
            announced.write()
        except InputError as error:
            self._warn_later(message("experiments.not_reachable", reason=as_data(error)))
        except OSError as error:
            self._warn_later(message("experiments.not_reachable", reason=str(error)))

    def _warn_later(self, said: Message) -> None:
        """Warn after the event that is being sent, so that the plan's first event stays first."""
        asyncio.get_running_loop().call_soon(self._warn, said)

    def _warn(self, said: Message) -> None:
        if ExperimentFinished not in self._last:
            self._say(notice("warning", said))

    def _keep(self, event: Event) -> None:
        if isinstance(event, _SENT_FIRST):
            self._last[type(event)] = event
        elif isinstance(event, RunFinished):
            for kind in (RunStarted, StepsRecorded, Progress):
                self._last.pop(kind, None)

    def _send(self, writer: asyncio.StreamWriter, line: bytes) -> None:
        if writer.is_closing():
            self._following.remove(writer)
            return
        writer.write(line)
        if writer.transport.get_write_buffer_size() > MOST_UNREAD:
            self._drop(writer, message("experiments.follower_reads_not"))

    def _drop(self, writer: asyncio.StreamWriter, why: Message) -> None:
        if writer in self._following:
            self._following.remove(writer)
        writer.transport.abort()
        self._warn_later(why)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Send one follower the past events, then read its commands; the end of its input changes nothing."""
        if len(self._following) >= _MOST_FOLLOWERS:
            self._drop(writer, message("experiments.followers_too_many", most=_MOST_FOLLOWERS))
            return
        self._following.append(writer)
        for kind in _SENT_FIRST:
            if kind in self._last:
                writer.write(encode_event(self._last[kind]))
        lines = BoundedLines()
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            while data := await reader.read(4096):
                for line in lines.feed(data):
                    self._receive(line, writer)

    def _receive(self, line: bytes, writer: asyncio.StreamWriter) -> None:
        command = command_of(line)
        if command is not None and command.command in COMMANDS:
            self._requests.apply(command)
        elif line.strip() and not writer.is_closing():
            self._drop(writer, message("experiments.follower_sends_nonsense", known=list(COMMANDS)))

    async def _close_all(self) -> None:
        """Close every connection after its last events; abort one that doesn't read them."""
        writers, self._following = self._following, []
        for writer in writers:
            writer.close()
        ends = [asyncio.ensure_future(writer.wait_closed()) for writer in writers]
        if not ends:
            return
        await asyncio.wait(ends, timeout=_LAST_S)
        for writer in writers:
            writer.transport.abort()
        await asyncio.gather(*ends, return_exceptions=True)
