"""One connection to the server. On the hot path it stamps each read and keeps the bytes, nothing else."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import cast

from workbench.base import message, now
from workbench.load.in_flight import Flight
from workbench.load.socket_reader import Intake

_BODY_END = b"\r\n\r\n"


class Connection(asyncio.Protocol):
    """Carries one request after the other.

    `look(flight)` is called when a flight's reads should be looked at soon; `free(connection, since)` when it
    can carry the next request; `closed(connection)` when it is gone while it carried nothing.
    """

    __slots__ = (
        "_blocked",
        "_broke",
        "_closed",
        "_free",
        "_leave",
        "_look",
        "connect_ms",
        "flight",
        "gone",
        "idle_since",
        "transport",
    )

    def __init__(
        self,
        look: Callable[[Flight], None],
        free: Callable[["Connection", float], None],
        closed: Callable[["Connection"], None],
    ) -> None:
        self._look = look
        self._free = free
        self._closed = closed
        self._blocked = False
        self._leave: Callable[[], None] | None = None
        self._broke: OSError | None = None
        self.transport: asyncio.Transport | None = None
        self.flight: Flight | None = None
        self.connect_ms: float | None = None
        """How long connecting took; taken by the first request that it carries."""
        self.idle_since = 0.0
        self.gone = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is connected (and encrypted, where it must be)."""
        self.transport = cast("asyncio.Transport", transport)
        # With no buffer allowed, the loop hands the bytes to the socket at once and tells when it couldn't.
        self.transport.set_write_buffer_limits(high=0)
        raw = transport.get_extra_info("socket")
        if raw is not None:
            with suppress(OSError):
                raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.idle_since = now()

    def read_by(self, intake: Intake, carrier: socket.socket) -> None:
        """Let the intake read instead of the event loop, where it can."""
        assert self.transport is not None
        with suppress(OSError):
            intake.add(carrier, self)
            self._leave = partial(intake.remove, carrier)
            self.transport.pause_reading()

    def send(self, flight: Flight) -> None:
        """Hand the flight's request to the socket."""
        assert self.transport is not None
        self.flight = flight
        flight.connection = self
        flight.connect_ms, self.connect_ms = self.connect_ms, None
        self.transport.write(flight.request)
        if not flight.keeps_request:
            flight.request = b""
        if flight.sent is None and not self._blocked:
            flight.sent = now()

    def data_received(self, data: bytes) -> None:
        """One read of the event loop's."""
        self.arrived(now(), data)

    def arrived(self, stamp: float, data: bytes) -> None:
        """One socket read; its last byte was there at `stamp`."""
        flight = self.flight
        if flight is None:
            self.abort()  # nobody asked: this connection can't be trusted with a request
            return
        reads = flight.reads
        reads.append(stamp)
        reads.append(data)
        # A chunked body ends with CRLF CRLF, or with a read too short to tell.
        if flight.eager or data[-4:] == _BODY_END or len(data) < 4:
            self._look(flight)

    def ended(self, error: OSError | None) -> None:
        """The intake found the other side closed, or the connection broken."""
        self._broke = error
        if self.transport is not None:
            self.transport.abort()

    def pause_writing(self) -> None:
        """The socket's buffer is full; part of the request still waits."""
        self._blocked = True

    def resume_writing(self) -> None:
        """The last byte has been handed over."""
        self._blocked = False
        if self.flight is not None and self.flight.sent is None:
            self.flight.sent = now()

    def connection_lost(self, exc: Exception | None) -> None:
        """The other side closed, or we did."""
        stamp = now()
        self.gone = True
        exc = exc or self._broke
        if self._leave is not None:
            self._leave()
        flight, self.flight = self.flight, None
        if flight is None:
            self._closed(self)
            return
        flight.connection = None
        if flight.done is None:
            flight.done = stamp
        flight.lost = (
            message("load.connection_lost", cause=str(exc)) if exc else message("load.server_closed")
        )
        self._look(flight)

    def release(self, since: float) -> None:
        """The answer has been whole since then: carry the next request."""
        self.flight = None
        self._free(self, since)

    def abort(self) -> None:
        """Close at once; what the server still sends is not ours."""
        self.flight = None
        self.gone = True
        if self.transport is not None:
            self.transport.abort()
