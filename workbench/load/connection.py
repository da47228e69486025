"""A connection to the server; on the hot path it only stamps each read and keeps the bytes."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import cast

from workbench.base import message, now
from workbench.load.attempt import Attempt
from workbench.load.socket_reader import SocketReader

_BODY_END = b"\r\n\r\n"


class Connection(asyncio.Protocol):
    """Carries one request after the other.

    `parse_soon(attempt)` is called when an attempt has reads to parse; `free(connection, since)` when the
    connection can carry the next request; `closed(connection)` when it closed while it carried nothing.
    """

    __slots__ = (
        "_blocked",
        "_broke",
        "_closed",
        "_free",
        "_leave",
        "_parse_soon",
        "attempt",
        "connect_ms",
        "gone",
        "idle_since",
        "transport",
    )

    def __init__(
        self,
        parse_soon: Callable[[Attempt], None],
        free: Callable[["Connection", float], None],
        closed: Callable[["Connection"], None],
    ) -> None:
        self._parse_soon = parse_soon
        self._free = free
        self._closed = closed
        self._blocked = False
        self._leave: Callable[[], None] | None = None
        self._broke: OSError | None = None
        self.transport: asyncio.Transport | None = None
        self.attempt: Attempt | None = None
        self.connect_ms: float | None = None
        """Duration of connecting; the first request on the connection takes it over."""
        self.idle_since = 0.0
        self.gone = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Set up the socket, which is connected and, over TLS, encrypted."""
        self.transport = cast("asyncio.Transport", transport)
        # Without a buffer the loop hands the bytes to the socket at once and calls back when it couldn't.
        self.transport.set_write_buffer_limits(high=0)
        raw = transport.get_extra_info("socket")
        if raw is not None:
            with suppress(OSError):
                raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.idle_since = now()

    def read_by(self, socket_reader: SocketReader, carrier: socket.socket) -> None:
        """Let the socket reader read instead of the event loop, if the socket allows it."""
        assert self.transport is not None
        with suppress(OSError):
            socket_reader.add(carrier, self)
            self._leave = partial(socket_reader.remove, carrier)
            self.transport.pause_reading()

    def send(self, attempt: Attempt) -> None:
        """Write the attempt's request to the socket."""
        assert self.transport is not None
        self.attempt = attempt
        attempt.connection = self
        attempt.connect_ms, self.connect_ms = self.connect_ms, None
        self.transport.write(attempt.request_bytes)
        if not attempt.keeps_request_bytes:
            attempt.request_bytes = b""
        if attempt.sent is None and not self._blocked:
            attempt.sent = now()

    def data_received(self, data: bytes) -> None:
        """Stamp a read of the event loop."""
        self.arrived(now(), data)

    def arrived(self, stamp: float, data: bytes) -> None:
        """Keep a socket read whose last byte arrived at `stamp`."""
        attempt = self.attempt
        if attempt is None:
            self.abort()  # bytes without a request: don't use this connection again
            return
        reads = attempt.reads
        reads.append(stamp)
        reads.append(data)
        # A chunked body ends with CRLF CRLF; shorter reads may be the rest of it.
        if attempt.eager or data[-4:] == _BODY_END or len(data) < 4:
            self._parse_soon(attempt)

    def ended(self, error: OSError | None) -> None:
        """Close: the socket reader found the other side closed, or the connection broken."""
        self._broke = error
        if self.transport is not None:
            self.transport.abort()

    def pause_writing(self) -> None:
        """Note that the socket's buffer is full and part of the request waits."""
        self._blocked = True

    def resume_writing(self) -> None:
        """Stamp the request as sent: its last byte is in the socket's buffer."""
        self._blocked = False
        if self.attempt is not None and self.attempt.sent is None:
            self.attempt.sent = now()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the attempt on it: one of the two sides closed."""
        stamp = now()
        self.gone = True
        exc = exc or self._broke
        if self._leave is not None:
            self._leave()
        attempt, self.attempt = self.attempt, None
        if attempt is None:
            self._closed(self)
            return
        attempt.connection = None
        if attempt.done is None:
            attempt.done = stamp
        attempt.lost = (
            message("load.connection_lost", cause=str(exc)) if exc else message("load.server_closed")
        )
        self._parse_soon(attempt)

    def release(self, since: float) -> None:
        """Carry the next request; the answer has been complete since `since`."""
        self.attempt = None
        self._free(self, since)

    def abort(self) -> None:
        """Close at once and drop what the server still sends."""
        self.attempt = None
        self.gone = True
        if self.transport is not None:
            self.transport.abort()
