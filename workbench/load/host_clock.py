"""The clock of another machine against ours, by round trips."""

from collections import deque

import msgspec

from workbench.base import now
from workbench.results.run_records import RequestRecord

_RECENT = 240
"""Round trips that an estimate looks back: about a minute during a run."""
_TRIPS, _GOOD_S = 12, 0.002
"""Round trips before the start, and the error that one of them must have."""
_DRIFT = 1e-4
"""Assumed largest drift between two clocks, seconds a second: ten times that of a usual crystal."""
_STAMPS = ("due", "released", "sent", "first_token", "last_token", "done")


class RoundTrip(msgspec.Struct, frozen=True):
    """One question for the time and its answer."""

    took_s: float
    ahead_s: float
    """Lead of the other clock at the middle of the trip; off by at most half of `took_s`."""
    came: float
    """Our time of the answer."""

    def error_s(self, at: float) -> float:
        """Return how far off `ahead_s` may be at a time since."""
        return self.took_s / 2 + _DRIFT * max(0.0, at - self.came)


class HostClock:
    """Estimates how far a clock is ahead of ours; the round trip with the smallest error now counts."""

    def __init__(self) -> None:
        self._recent: deque[RoundTrip] = deque(maxlen=_RECENT)
        self._start: RoundTrip | None = None
        self._worst_s: float | None = None
        self.trips = 0
        self.shift_s = 0.0
        """Drift since the start that corrected the last records."""

    def add(self, sent: float, at: float, came: float | None = None) -> None:
        """Add the answer `at` of the other clock to a question of `sent`, both in seconds."""
        came = now() if came is None else came
        trip = RoundTrip(came - sent, at - (sent + came) / 2, came)
        if self._recent:
            best, error_s = self._best(came)
            if abs(trip.ahead_s - best.ahead_s) > trip.took_s / 2 + error_s:
                # The clock was set or its machine slept: earlier trips say nothing any more.
                self._recent.clear()
        self._recent.append(trip)
        self.trips += 1
        if self._worst_s is not None:
            self._worst_s = max(self._worst_s, self._best(came)[1])

    def start(self) -> float:
        """Return how far it is ahead now; later records are corrected by what changes from here on.

        Without any answer the clocks are taken to be equal, and the error is unknown.
        """
        if not self._recent:
            return 0.0
        self._start, self._worst_s = self._best(self._recent[-1].came)
        return self._start.ahead_s

    @property
    def ahead_s(self) -> float:
        """Lead at the start; 0 before."""
        return 0.0 if self._start is None else self._start.ahead_s

    @property
    def settled(self) -> bool:
        """True if enough answers came, one of them quickly."""
        return self.trips >= _TRIPS and self._best(self._recent[-1].came)[1] <= _GOOD_S

    @property
    def error_s(self) -> float | None:
        """The largest error of a stamp since the start; None: the clock was never read."""
        return self._worst_s

    def correct(self, records: list[RequestRecord]) -> None:
        """Move all stamps of `records` by what the clock drifted since the start.

        Smaller drifts than the error of the estimate are noise, so nothing is moved by them.
        """
        if self._start is None:
            return
        best, error_s = self._best(self._recent[-1].came)
        shift = best.ahead_s - self._start.ahead_s
        if abs(shift) <= error_s:
            return
        self.shift_s = shift
        for record in records:
            for name in _STAMPS:
                stamp = getattr(record, name)
                if stamp is not None:
                    setattr(record, name, stamp - shift)

    def _best(self, at: float) -> tuple[RoundTrip, float]:
        """Return the trip with the smallest error at a time, and that error."""
        best = min(self._recent, key=lambda trip: trip.error_s(at))
        return best, best.error_s(at)


class HostReport(msgspec.Struct, frozen=True, kw_only=True):
    """One machine of the load, after a run."""

    name: str
    workers: int
    clock_ahead_s: float
    """Lead of its clock over ours at the start."""
    clock_error_ms: float | None
    """Largest error of its stamps against the common start; None: its clock was never read."""
    clock_shift_ms: float
    """Drift of its clock against ours during the run; its stamps are corrected by it."""
    round_trips: int
    start_late_ms: float | None
    """Delay behind the common start; None: it was in time."""
    lost: bool = False
