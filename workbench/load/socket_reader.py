"""Reads many connections together, each read with the kernel's stamp of its arrival.

An event loop stamps a read when it gets to it, and wakes up for nearly every token. Linux stamps bytes as
they arrive, so a worker may poll its sockets a thousand times a second, be late or busy meanwhile, and still
know to some microseconds when the last byte of each read arrived.
"""

import asyncio
import select
import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol, TypeAlias

from workbench.base import now
from workbench.load.alarm import Timerfd
from workbench.load.parse_reads import PROMPT_S, ReadLateness

_SO_TIMESTAMPNS = 35
"""Linux's number, also the type of the control message."""
_TIMESPEC = struct.Struct("@ll")
_MOST_BYTES = 16_384
_CONTROL_BYTES = 64
_AT_ONCE = 64
"""Sockets read between two turns of the loop: a third of a millisecond."""
_MOST_READY = 1024
"""Sockets found by one poll; all are read before the next poll, so that none starves."""
_OLDEST_S = 60.0
"""An older stamp comes from before a step of the clock."""
_SURE_S = 2e-5
"""Two readings of our clock around one of the kernel's give their difference if they are this close."""
PAUSE_S = 0.0005
"""First pause between two polls while reads come fast."""
_SHORTEST_S, _LONGEST_S = 0.00025, 0.001
_ENOUGH = 24
"""Reads that are worth a wake-up: the pause adapts until a poll finds about so many."""


_Control: TypeAlias = list[tuple[int, int, bytes]]
_Read: TypeAlias = tuple[bytes, _Control, int, Any]


class SocketOwner(Protocol):
    """Receiver of a socket's reads."""

    def arrived(self, stamp: float, data: bytes) -> None:
        """Handle a read whose last byte arrived at `stamp`."""

    def ended(self, error: OSError | None) -> None:
        """Handle the close of the other side, or the error that broke the connection."""


class SocketReader:
    """Reads the sockets of one worker.

    Args:
        loop: the worker's event loop.
        pause_s: pause between two polls; 0 if requests wait for the reads.

    Raises:
        OSError: this system does not stamp reads.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, pause_s: float) -> None:
        if not sys.platform.startswith("linux"):
            raise OSError("no stamps of the kernel")
        self._loop = loop
        self._pause_s = pause_s
        self._timer = Timerfd()
        self._sockets = select.epoll()
        self._gate = select.epoll()
        """Wakes the loop for the sockets outside of pauses, and at the end of a pause."""
        self._gate.register(self._sockets, select.EPOLLIN | select.EPOLLONESHOT)
        self._gate.register(self._timer.number, select.EPOLLIN)
        self._open: dict[int, tuple[Callable[[int, int], _Read], SocketOwner]] = {}
        self._ready: list[tuple[int, int]] = []
        """Sockets found and not read yet."""
        self._pausing = self._behind = False
        self._looked = self._found = self._since = 0.0
        self.lateness = ReadLateness()
        self._stamped = False
        """The last read had the kernel's stamp: only then may reads wait for a pause."""
        self._ahead_s = now() - time.time()
        """Difference from the kernel's clock to ours."""
        loop.add_reader(self._gate.fileno(), self._look)

    def add(self, carrier: socket.socket, reading: SocketOwner) -> None:
        """Read a socket from now on.

        Raises:
            OSError: its reads can't be stamped.
        """
        carrier.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self._open[carrier.fileno()] = (carrier.recvmsg, reading)
        self._sockets.register(carrier, select.EPOLLIN)

    def remove(self, carrier: socket.socket) -> None:
        """Stop reading a socket; call it before the socket closes."""
        if self._open.pop(carrier.fileno(), None) is not None:
            with suppress(OSError, ValueError):
                self._sockets.unregister(carrier)

    def close(self) -> None:
        """Stop reading."""
        self._loop.remove_reader(self._gate.fileno())
        self._gate.close()
        self._sockets.close()
        self._timer.close()

    def _look(self) -> None:
        self._gate.poll(0)
        if self._pausing:
            self._timer.clear()
        if not self._ready:
            self._ready = self._sockets.poll(0, _MOST_READY)
            self._find(now())
        at = self._set_clock()
        batch, self._ready = self._ready[:_AT_ONCE], self._ready[_AT_ONCE:]
        more = self._read(batch, at) or len(batch) == _AT_ONCE
        fast = self._worth_it(len(batch)) if self._pausing else at - self._looked < self._pause_s
        if batch:
            self._looked = at
        # Single reads are handled as they arrive.
        self._pausing = bool(batch) and fast and self._stamped and not more
        self._behind = self._pausing or more
        if self._pausing:
            self._timer.set(at + self._pause_s)
        else:
            self._gate.modify(self._sockets, select.EPOLLIN | select.EPOLLONESHOT)

    def _find(self, at: float) -> None:
        """Note the earliest arrival of found reads: the poll before, unless we waited for them since."""
        self._since = self._found if self._behind else at
        self._found = at

    def _worth_it(self, reads: int) -> bool:
        """Return whether a pause collected several reads; adapts the next pause to their number."""
        if reads < _ENOUGH:
            self._pause_s = min(_LONGEST_S, self._pause_s * 1.2)
        elif reads > _ENOUGH * 3 // 2:
            self._pause_s = max(_SHORTEST_S, self._pause_s / 1.2)
        return reads > 1

    def _set_clock(self) -> float:
        """Return now; measures the difference to the kernel's clock again unless interrupted meanwhile."""
        before, theirs, after = now(), time.time(), now()
        if after - before < _SURE_S:
            self._ahead_s = (before + after) / 2 - theirs
        return after

    def _read(self, found: list[tuple[int, int]], at: float) -> bool:
        """Read each socket once; returns whether one has more."""
        opened, more = self._open, False
        late_s = at - self._since
        merged = self.lateness.add_late if late_s > PROMPT_S else None
        self.lateness.reads += len(found)
        for number, _ in found:
            if number not in opened:  # closed by an earlier read
                continue
            receive, reading = opened[number]
            try:
                data, control, _, _ = receive(_MOST_BYTES, _CONTROL_BYTES)
            except BlockingIOError:
                continue
            except OSError as error:
                reading.ended(error)
                continue
            if data:
                if merged is not None:
                    merged(data, late_s)
                reading.arrived(self._stamp(control, at), data)
                more |= len(data) == _MOST_BYTES
            else:
                reading.ended(None)
        return more

    def _stamp(self, control: _Control, at: float) -> float:
        self._stamped = bool(control)
        if not control:
            return at
        seconds, nanoseconds = _TIMESPEC.unpack(control[0][2])
        stamp: float = seconds + self._ahead_s + nanoseconds * 1e-9
        if stamp > at:  # it arrived after this poll began
            return min(stamp, now())
        return stamp if stamp > at - _OLDEST_S else at


def make_socket_reader(loop: asyncio.AbstractEventLoop, pause_s: float) -> SocketReader | None:
    """Return a reader; None if this system does not stamp reads."""
    try:
        return SocketReader(loop, pause_s)
    except (OSError, AttributeError, NotImplementedError):
        return None
