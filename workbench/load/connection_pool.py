"""Open connections, kept so that a request finds one when it is due."""

import asyncio
import errno
import socket
import ssl
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from workbench.base import Message, message, now, raise_open_files
from workbench.load.attempt import Attempt
from workbench.load.connection import Connection
from workbench.load.parse_reads import ReadParser
from workbench.load.socket_reader import SocketReader
from workbench.load.target import TargetAddress

_OLDEST_IDLE_S = 3.0
"""Servers close idle connections, uvicorn (and so vLLM) after 5 s; ours close earlier."""
_MOST_AHEAD = 256
_PAUSE_AFTER_FAILURE_S = 0.25
_OURS = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL, errno.ENETDOWN,
     errno.ENETUNREACH}
)  # fmt: skip
"""Errors of this machine: it lacks files, memory, ports or its network."""


class Unconnected(NamedTuple):
    """Reason for which a request got no connection."""

    why: Message
    ours: bool
    """This machine is the cause; the server saw nothing."""


class ConnectionPool:
    """Connections of one worker.

    Args:
        address: the server's.
        tls: encryption; None: plain HTTP.
        connect_timeout_s: seconds until a connection counts as failed.
        parser: parses the reads of attempts.
        failed: called with each attempt that got no connection, and the reason.
        socket_reader: reads unencrypted connections; None: the event loop reads.
    """

    def __init__(
        self,
        address: TargetAddress,
        tls: ssl.SSLContext | None,
        connect_timeout_s: float,
        parser: ReadParser,
        failed: Callable[[Attempt, Unconnected], None],
        socket_reader: SocketReader | None = None,
    ) -> None:
        self._address = address
        self._tls = tls
        self._timeout_s = connect_timeout_s
        self._parse_soon = parser.parse_soon
        self._add_chore = parser.add_chore
        self._failed = failed
        self._socket_reader = socket_reader
        self._idle: deque[Connection] = deque()
        self._waiting: deque[Attempt] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._opening = 0
        """Connections being opened; each serves or fails one waiting attempt."""
        self._resolved: list[tuple[str, int]] = []
        self._wanted = 0
        self._filling = False
        self._quiet_until = 0.0
        self._closed = False

    async def resolve(self) -> None:
        """Resolve the name once, so that no request waits for it."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(self._address.host, self._address.port, type=socket.SOCK_STREAM)
        self._resolved = [(str(entry[4][0]), int(entry[4][1])) for entry in found]

    def send(self, attempt: Attempt) -> None:
        """Send on an idle connection now, else on the next one that opens."""
        connection = self._pop_idle()
        if connection is not None:
            connection.send(attempt)
            return
        self._waiting.append(attempt)
        if self._opening < len(self._waiting):
            self._open()

    def give_back(self, connection: Connection, since: float) -> None:
        """Take a connection back; the server counts it as idle since `since`."""
        if self._closed or connection.gone:
            connection.abort()
            return
        connection.idle_since = since
        attempt = self._next_waiting()
        if attempt is not None:
            connection.send(attempt)
        else:
            self._idle.append(connection)

    def keep_ready(self, wanted: int) -> None:
        """Keep `wanted` connections idle or opening besides those in use; drop stale ones."""
        stale = now() - _OLDEST_IDLE_S
        while self._idle and self._idle[0].idle_since < stale:
            self._idle.popleft().abort()
        if self._closed or now() < self._quiet_until:
            return
        self._wanted = min(wanted, _MOST_AHEAD)
        if not self._filling and self._missing() > 0:
            self._filling = True
            self._add_chore(self._fill())

    @property
    def idle(self) -> int:
        """Number of idle connections."""
        return len(self._idle)

    def close(self) -> None:
        """Close everything."""
        self._closed = True
        for connection in self._idle:
            connection.abort()
        self._idle.clear()
        for task in self._tasks:
            task.cancel()

    def _pop_idle(self) -> Connection | None:
        stale = now() - _OLDEST_IDLE_S
        while self._idle:
            connection = self._idle.pop()
            if not connection.gone and connection.idle_since >= stale:
                return connection
            connection.abort()
        return None

    def _next_waiting(self) -> Attempt | None:
        while self._waiting:
            attempt = self._waiting.popleft()
            if attempt.cut is None:
                return attempt
        return None

    def _missing(self) -> int:
        return self._wanted + len(self._waiting) - len(self._idle) - self._opening

    def _fill(self) -> Iterator[None]:
        """Open missing connections one by one: each takes the loop a tenth of a millisecond."""
        while self._missing() > 0 and not self._closed and now() >= self._quiet_until:
            self._open()
            yield
        self._filling = False

    def _open(self) -> None:
        self._opening += 1
        task = asyncio.get_running_loop().create_task(self._connect())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self) -> None:
        begun = now()
        try:
            async with asyncio.timeout(self._timeout_s):
                connection = await self._first_that_answers()
        except TimeoutError:
            self._fail(message("load.connect_timeout", seconds=self._timeout_s))
            return
        except (OSError, ssl.SSLError) as error:
            self._fail(_cant_connect(error), ours=error.errno in _OURS)
            return
        finally:
            self._opening -= 1
        if connection.gone:
            self._fail(message("load.closed_at_once"))
            return
        connection.connect_ms = (now() - begun) * 1e3
        self.give_back(connection, now())

    async def _first_that_answers(self) -> Connection:
        for place, address in enumerate(self._resolved):
            try:
                connection = await self._connected(*address)
            except OSError:
                if place + 1 == len(self._resolved):
                    raise
                continue
            if place:  # the next connections try the address that answered first
                self._resolved.insert(0, self._resolved.pop(place))
            return connection
        raise OSError(f"{self._address.host} has no address")

    async def _connected(self, host: str, port: int) -> Connection:
        loop = asyncio.get_running_loop()
        if self._tls is not None or self._socket_reader is None:
            name = self._address.host if self._tls else None
            _, connection = await loop.create_connection(
                self._new, host, port, ssl=self._tls, server_hostname=name
            )
            return connection
        carrier = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        try:
            carrier.settimeout(0)
            await loop.sock_connect(carrier, (host, port))
            _, connection = await loop.create_connection(self._new, sock=carrier)
        except BaseException:
            carrier.close()
            raise
        connection.read_by(self._socket_reader, carrier)
        return connection

    def _new(self) -> Connection:
        return Connection(self._parse_soon, self.give_back, self._drop)

    def _fail(self, why: Message, *, ours: bool = False) -> None:
        self._quiet_until = now() + _PAUSE_AFTER_FAILURE_S
        attempt = self._next_waiting()
        if attempt is not None:
            self._failed(attempt, Unconnected(why, ours))

    def _drop(self, connection: Connection) -> None:
        if connection in self._idle:
            self._idle.remove(connection)


def _cant_connect(error: OSError) -> Message:
    cause = error.strerror or str(error)
    limit = raise_open_files() if error.errno == errno.EMFILE else None
    if limit is None:
        return message("load.cant_connect", cause=cause)
    return message("load.cant_connect_open_files", cause=cause, limit=limit)
