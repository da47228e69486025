"""The progress of a run's long prompts, as one curve with gaps between the prompts. No Qt."""

import bisect
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ui.live.series import CURVE_POINTS, Floats

if TYPE_CHECKING:
    from workbench.experiments import PrefillTracked

MOST_PROMPTS = 400
"""Prompts kept of a run, as in the conductor; the oldest are dropped first."""
_POINTS_WITH_GAP = 3
"""Points of a prompt drawn by its first and last point only."""


class PromptTrack:
    """One prompt: seconds since the schedule's start, and the share of it that was scheduled by then."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens
        self.times: list[float] = []
        self.shares: list[float] = []

    @property
    def done(self) -> bool:
        """True if the whole prompt is computed."""
        return bool(self.shares) and self.shares[-1] >= 1.0

    @property
    def seconds(self) -> float:
        """Seconds from its first step to the last known one."""
        return self.times[-1] - self.times[0] if self.times else 0.0

    def share_at(self, run_t: float) -> float | None:
        """Return the share at a time, interpolated; None before it begins and after it has ended."""
        if not self.times or not self.times[0] <= run_t:
            return None
        if run_t > self.times[-1]:
            return None if self.done else self.shares[-1]
        return float(np.interp(run_t, self.times, self.shares))


class PromptTracks:
    """All long prompts of a run, with the interface of `RunSeries` for one column `progress`."""

    columns = ("progress",)

    def __init__(self) -> None:
        self.known = False
        """True if the server's steps are recorded, so that long prompts are known."""
        self.step_tokens: int | None = None
        """Prompts of more tokens are long."""
        self._tracks: dict[str, PromptTrack] = {}
        self._drawn: tuple[Floats, Floats] | None = None

    def append(self, event: "PrefillTracked") -> None:
        """Add an event's points; at a run's end the event holds all points."""
        self.know(event.step_tokens)
        if event.whole:
            self._tracks = {}
        for prompt in event.prompts:
            self.add(prompt.id, prompt.tokens, prompt.points)

    def know(self, step_tokens: int | None) -> None:
        """Set that long prompts are recorded: those of more tokens than one step computes."""
        self.known = True
        self.step_tokens = step_tokens or self.step_tokens
        self._drawn = None

    def add(self, name: str, tokens: int, points: Iterable[Sequence[float]]) -> None:
        """Add points (seconds, tokens scheduled by then) of a prompt of `tokens` tokens."""
        track = self._tracks.setdefault(name, PromptTrack(tokens))
        for run_t, computed in points:
            track.times.append(float(run_t))
            track.shares.append(min(1.0, computed / max(track.tokens, 1)))
        while len(self._tracks) > MOST_PROMPTS:
            del self._tracks[next(iter(self._tracks))]
        self._drawn = None

    @property
    def tracks(self) -> Sequence[PromptTrack]:
        """The prompts in the order of their start."""
        return tuple(self._tracks.values())

    def under_way(self, run_t: float = math.inf) -> list[float]:
        """Return the shares of the prompts in progress at a time, the earliest first."""
        shares = [track.share_at(run_t) for track in self._tracks.values()]
        return [share for share in shares if share is not None]

    def __len__(self) -> int:
        return len(self.times())

    def times(self) -> Floats:
        """Return seconds, NaN between two prompts; at most `CURVE_POINTS`."""
        return self._curve()[0]

    def column(self, _name: str) -> Floats:
        """Return shares from 0 to 1, NaN between two prompts."""
        return self._curve()[1]

    def last_time(self) -> float:
        """Return the newest point's time; NaN without any."""
        return max((track.times[-1] for track in self._tracks.values() if track.times), default=math.nan)

    def last(self, name: str) -> float | None:
        """Return the share of the earliest prompt in progress; None without one."""
        return self.value_near(name, math.inf)

    def value_near(self, _name: str, run_t: float) -> float | None:
        """Return the same at a time."""
        return next(iter(self.under_way(run_t)), None)

    def _curve(self) -> tuple[Floats, Floats]:
        if self._drawn is None:
            self._drawn = self._draw()
        return self._drawn

    def _draw(self) -> tuple[Floats, Floats]:
        tracks = [track for track in self._tracks.values() if track.times]
        whole = sum(len(track.times) + 1 for track in tracks) <= CURVE_POINTS
        if not whole:
            tracks = _slowest(tracks, CURVE_POINTS // _POINTS_WITH_GAP)
        times: list[float] = []
        shares: list[float] = []
        for track in tracks:
            places = range(len(track.times)) if whole else (0, len(track.times) - 1)
            times += [*(track.times[place] for place in places), math.nan]
            shares += [*(track.shares[place] for place in places), math.nan]
        return np.array(times, dtype=np.float64), np.array(shares, dtype=np.float64)


def _slowest(tracks: Sequence[PromptTrack], most: int) -> list[PromptTrack]:
    """Return the slowest prompts and all in progress, in the order of their start."""
    by_time = sorted(range(len(tracks)), key=lambda place: (tracks[place].done, -tracks[place].seconds))
    kept: list[int] = []
    for place in by_time[:most]:
        bisect.insort(kept, place)
    return [tracks[place] for place in kept]
