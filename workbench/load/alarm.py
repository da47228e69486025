"""Alarms that ring within a tenth of a millisecond; event loops' own timers round to whole milliseconds."""

import asyncio
import ctypes
import ctypes.util
import os
import sys
from collections.abc import Callable

from workbench.base import now

_CLOCK_MONOTONIC, _TFD_NONBLOCK, _TFD_TIMER_ABSTIME = 1, 0o4000, 1
_COARSE_S = 0.0025
"""Loop timers fire within this of their time."""


class Alarm:
    """A portable alarm: calls back once at a time of `workbench.base.now`, never before it.

    It waits out the last milliseconds with turns of the loop, so sockets are still served meanwhile.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> None:
        self._loop = loop
        self._ring = ring
        self._when: float | None = None
        self._handle: asyncio.Handle | None = None

    def set(self, when: float) -> None:
        """Ring at `when` instead of any time set before."""
        if when == self._when:
            return
        self._when = when
        if self._handle:
            self._handle.cancel()
        self._wait()

    def close(self) -> None:
        """Cancel the alarm."""
        self._when = None
        if self._handle:
            self._handle.cancel()

    def _wait(self) -> None:
        if self._when is None:
            return
        left = self._when - now()
        if left > _COARSE_S:
            self._handle = self._loop.call_later(left - _COARSE_S, self._wait)
        elif left > 0:
            self._handle = self._loop.call_soon(self._wait)
        else:
            self._when = None
            self._ring()


class _Interval(ctypes.Structure):
    """`struct itimerspec`: interval and first expiry, seconds and nanoseconds."""

    _fields_ = [(name, ctypes.c_long) for name in ("every_s", "every_ns", "first_s", "first_ns")]


class Timerfd:
    """A Linux timer: a descriptor that becomes readable at a time.

    Raises:
        OSError: this system has no timerfd.
    """

    def __init__(self) -> None:
        if not sys.platform.startswith("linux"):
            raise OSError("no timerfd")
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.number: int = self._libc.timerfd_create(_CLOCK_MONOTONIC, _TFD_NONBLOCK)
        if self.number < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create")
        self._setting = _Interval()

    def set(self, when: float) -> None:
        """Become readable at a time of `workbench.base.now`, never before."""
        nanoseconds = max(1, int(when * 1e9) + 1)
        self._setting.first_s, self._setting.first_ns = divmod(nanoseconds, 1_000_000_000)
        self._libc.timerfd_settime(self.number, _TFD_TIMER_ABSTIME, ctypes.byref(self._setting), None)

    def clear(self) -> bool:
        """Read the timer; returns whether its time had come."""
        try:
            os.read(self.number, 8)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self.number)


class TimerfdAlarm:
    """An alarm over Linux's timerfd: the kernel wakes the loop, so nothing spins.

    Raises:
        OSError: this system has no timerfd.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> None:
        self._timer = Timerfd()
        self._loop = loop
        self._ring = ring
        self._when: float | None = None
        loop.add_reader(self._timer.number, self._woken)

    def set(self, when: float) -> None:
        """Ring at `when` instead of any time set before."""
        if when == self._when:
            return
        self._when = when
        self._timer.set(when)

    def close(self) -> None:
        """Cancel the alarm."""
        self._loop.remove_reader(self._timer.number)
        self._timer.close()

    def _woken(self) -> None:
        if self._timer.clear() and self._when is not None and now() >= self._when:
            self._when = None
            self._ring()


def make_alarm(loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> Alarm | TimerfdAlarm:
    """Return the most precise alarm of this system."""
    try:
        return TimerfdAlarm(loop, ring)
    except (OSError, AttributeError, NotImplementedError):
        return Alarm(loop, ring)
