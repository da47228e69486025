"""The bands of the stage, from top to bottom, and how they share its height. No Qt."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Band(Enum):
    """Content of a band."""

    QUEUE = "queue"
    WHY = "why"
    SLOTS = "slots"
    BUDGET = "budget"
    TIME = "time"
    KV = "kv"


@dataclass(frozen=True, slots=True)
class Place:
    """A band's rows, in pixels from the top of the bands."""

    band: Band
    top: int
    height: int

    @property
    def bottom(self) -> int:
        """The row below its last."""
        return self.top + self.height


_LINES = {Band.QUEUE: 2.2, Band.WHY: 0.9, Band.SLOTS: 3.5, Band.BUDGET: 2.2, Band.TIME: 1.8, Band.KV: 2.2}
"""Least height, in lines of text."""
_SHARES = {Band.QUEUE: 1.0, Band.WHY: 0.0, Band.SLOTS: 4.0, Band.BUDGET: 1.4, Band.TIME: 0.7, Band.KV: 1.2}
"""Shares of the height beyond that."""
_DISPENSABLE = (Band.TIME, Band.KV, Band.QUEUE)
"""Left out in this order if the stage is low."""
_MOST_LINES_A_LANE = 1.7
_GAP_LINES = 0.5
_WHY_GAP = 1
"""The reason for waiting stands right below the queue."""


def places(height: int, line: float, lanes: int, without: frozenset[Band] = frozenset()) -> tuple[Place, ...]:
    """Return the bands that are wanted and fit, with their rows."""
    gap = round(_GAP_LINES * line)
    bands = [band for band in Band if band not in without]
    for band in _DISPENSABLE:
        if _least(bands, line, gap) <= height:
            break
        if band in bands:
            bands.remove(band)
    if Band.QUEUE not in bands:
        bands.remove(Band.WHY)
    gaps = gap * (len(bands) - 1) - (gap - _WHY_GAP if Band.WHY in bands else 0)
    heights = _heights(bands, height - gaps, line, lanes)
    found, top = [], 0
    for band in bands:
        found.append(Place(band, top, heights[band]))
        top += heights[band] + (_WHY_GAP if band is Band.QUEUE else gap)
    return tuple(found)


def _least(bands: Sequence[Band], line: float, gap: int) -> float:
    return sum(_LINES[band] for band in bands) * line + gap * (len(bands) - 1)


def _heights(bands: Sequence[Band], height: int, line: float, lanes: int) -> dict[Band, int]:
    least = {band: _LINES[band] * line for band in bands}
    over = max(0.0, height - sum(least.values()))
    shares = sum(_SHARES[band] for band in bands)
    heights = {band: least[band] + over * _SHARES[band] / shares for band in bands}
    slots = min(heights[Band.SLOTS], max(least[Band.SLOTS], lanes * _MOST_LINES_A_LANE * line))
    # What few lanes leave goes to the others.
    left, others = (
        heights[Band.SLOTS] - slots,
        [band for band in bands if _SHARES[band] and band is not Band.SLOTS],
    )
    heights[Band.SLOTS] = slots
    for band in others:
        heights[band] += left / len(others)
    return {band: max(1, int(value)) for band, value in heights.items()}
