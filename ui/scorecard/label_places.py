"""Positions of the names of points, without overlaps. Pixels, y downwards. No Qt."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

_NEAR = 8.0
"""Between a point's center and its name."""
_POINT = 5.0
"""Half a point's size, with a margin."""
_STEP = 6.0
"""Distance of the boxes that keep a line clear."""
_FEW_STEPS, _MOST_STEPS = 5, 13
"""Line heights between a name and its point: before it changes sides, and at most."""


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    width: float
    height: float

    def overlaps(self, other: "Box") -> bool:
        """Return True if both share more than an edge."""
        return (
            self.left < other.left + other.width
            and other.left < self.left + self.width
            and self.top < other.top + other.height
            and other.top < self.top + self.height
        )

    def inside(self, width: float, height: float) -> bool:
        """Return True if it lies within an area of this size."""
        fits_across = self.left >= 0 and self.left + self.width <= width
        return fits_across and self.top >= 0 and self.top + self.height <= height


@dataclass(frozen=True)
class LabelPosition:
    """The position of one name."""

    box: Box
    led: bool
    """True if a line must lead from the point to it."""

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """Return the point of the box's edge at which the line from a point ends."""
        box = self.box
        return (
            min(max(x, box.left), box.left + box.width),
            min(max(y, box.top), box.top + box.height),
        )


def places(
    named: Sequence[tuple[float, float, float]],
    curves: Sequence[Sequence[tuple[float, float]]],
    room: tuple[float, float],
    height: float,
) -> list[LabelPosition | None]:
    """Return a position for each name of `named` (x, y of its point and the name's width), in that order.

    The points of `curves` and the lines between them stay clear. None if there is no room left; the point's
    tooltip has the name.
    """
    taken = [box for curve in curves for box in _along(curve)]
    found: list[LabelPosition | None] = [None] * len(named)
    # Highest first: those below move down, away from them.
    for index in sorted(range(len(named)), key=lambda place: named[place][1]):
        x, y, width = named[index]
        for place in _candidates(x, y, width, height):
            if place.box.inside(*room) and not any(place.box.overlaps(other) for other in taken):
                found[index] = place
                taken.append(place.box)
                break
    return found


def _along(curve: Sequence[tuple[float, float]]) -> Iterator[Box]:
    """Yield small boxes that cover a curve's points and the lines between them."""
    for x, y in curve:
        yield Box(x - _POINT, y - _POINT, 2 * _POINT, 2 * _POINT)
    for (x, y), (to_x, to_y) in pairwise(curve):
        steps = math.ceil(math.hypot(to_x - x, to_y - y) / _STEP)
        for step in range(1, steps):
            at_x, at_y = x + (to_x - x) * step / steps, y + (to_y - y) * step / steps
            yield Box(at_x - 1, at_y - 1, 2, 2)


def _candidates(x: float, y: float, width: float, height: float) -> Iterator[LabelPosition]:
    """Yield positions right of the point, above and below that, and left of it if the right is full."""
    right, left, level = x + _NEAR, x - _NEAR - width, y - height / 2

    def led(side: float, steps: range) -> Iterator[LabelPosition]:
        for step in steps:
            for away in (step, -step):
                yield LabelPosition(Box(side, level + away * height, width, height), led=True)

    yield LabelPosition(Box(right, level, width, height), led=False)
    yield from led(right + _NEAR, range(1, _FEW_STEPS))
    yield LabelPosition(Box(left, level, width, height), led=False)
    yield from led(left - _NEAR, range(1, _FEW_STEPS))
    yield from led(right + _NEAR, range(_FEW_STEPS, _MOST_STEPS))
    yield from led(left - _NEAR, range(_FEW_STEPS, _MOST_STEPS))
