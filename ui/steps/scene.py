"""Content and place of everything on the stage, for the window, a saved picture and a demo."""

import math
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF

from ui.requests.life_view import nice_step
from ui.steps.bands import Band, Place, places
from ui.steps.frame_maker import ShownFrame
from ui.steps.stage_data import StageData
from ui.steps.viewport import Viewport

_PAD = 8
_GUTTER_EMS = 7.2
"""Width of the names of the bands, in heights of a line."""
_IDLE_KV = 0.2
"""Below this share of the KV blocks in use, they play no part in a story."""
_MINIMAP_LINES = 1.5
_RULER_LINES = 1.25


@dataclass(slots=True)
class Scene:
    """The record, the view of it, and what is chosen."""

    data: StageData
    view: Viewport
    frame: ShownFrame | None = None
    """The newest frame, perhaps of another view."""
    overview: ShownFrame | None = None
    """A frame of everything."""
    overview_due: bool = False
    """True if the record has grown since that frame."""
    request: int | None = None
    """The selected request."""
    culprits: frozenset[int] = field(default_factory=frozenset)
    """Requests that caused the selected one's waiting."""
    step: int | None = None
    """The selected step."""
    pointer: QPointF | None = None
    upto: float | None = None
    """A film's present time: nothing after it is shown."""
    simulated: bool = False

    def take(self, data: StageData) -> None:
        """Show another part of the same record; keep what is selected."""
        if self.request is not None:
            ids, chosen = data.arrays.requests.ids, self.data.arrays.requests.ids[self.request]
            self.request = ids.index(chosen) if chosen in ids else None
            self.culprits = frozenset()
        if self.step is not None:
            number = self.data.arrays.steps.number[self.step]
            found = np.flatnonzero(data.arrays.steps.number == number)
            self.step = int(found[0]) if len(found) else None
        self.data = data

    @property
    def highlighted(self) -> frozenset[int]:
        """The requests that don't fade; empty if none is selected."""
        return frozenset() if self.request is None else self.culprits | {self.request}


@dataclass(frozen=True, slots=True)
class Geometry:
    """The parts of the stage, in pixels."""

    minimap: QRectF
    ruler: QRectF
    plot: QRectF
    """All bands."""
    places: tuple[Place, ...]
    line: float
    """Height of a line of text."""
    tick_width: float
    """Width of the longest time on the ruler."""

    def rect(self, place: Place) -> QRectF:
        """Return where a band is."""
        return QRectF(self.plot.left(), self.plot.top() + place.top, self.plot.width(), place.height)

    def band(self, band: Band) -> QRectF | None:
        """Return where a band is; None if it is left out."""
        return next((self.rect(place) for place in self.places if place.band is band), None)

    def band_at(self, y: float) -> Band | None:
        """Return the band at a height."""
        for place in self.places:
            if place.top <= y - self.plot.top() < place.bottom:
                return place.band
        return None

    def t(self, x: float, view: Viewport) -> float:
        """Return the time at `x`."""
        return view.begin + (x - self.plot.left()) / self.plot.width() * view.span

    def x(self, t: float, view: Viewport) -> float:
        """Return the place of a time."""
        return self.plot.left() + (t - view.begin) / view.span * self.plot.width()

    def lane_height(self, lanes: int) -> float:
        """Return the height of a lane."""
        slots = self.band(Band.SLOTS)
        return slots.height() / lanes if slots is not None else 0.0

    def lane_middle(self, lane: int, lanes: int) -> float:
        """Return the middle of a lane."""
        slots = self.band(Band.SLOTS)
        return slots.top() + (lane + 0.5) * slots.height() / lanes if slots is not None else 0.0

    def lane_at(self, y: float, lanes: int) -> int:
        """Return the lane at a height within the slots."""
        slots = self.band(Band.SLOTS)
        assert slots is not None
        return min(lanes - 1, max(0, int((y - slots.top()) / slots.height() * lanes)))


def geometry_of(
    area: QRectF, metrics: QFontMetricsF, data: StageData | None, *, film: bool = False
) -> Geometry:
    """Lay out the stage in `area`; a film shows all of its time, and only what its story needs."""
    lanes = data.lanes if data is not None else 1
    line = metrics.height()
    left = area.left() + _PAD + _GUTTER_EMS * line
    width = max(10.0, area.right() - _PAD - left)
    minimap = QRectF(left, area.top() + 4, width, round(_MINIMAP_LINES * line) if not film else 0)
    ruler = QRectF(left, minimap.bottom() + 2, width, round(_RULER_LINES * line))
    height = max(10.0, area.bottom() - 4 - ruler.bottom() - 2)
    plot = QRectF(left, ruler.bottom() + 2, width, height)
    without = frozenset({Band.KV}) if film and data is not None and _kv_is_idle(data) else frozenset[Band]()
    tick_width = metrics.horizontalAdvance("0,000.000 s")
    return Geometry(minimap, ruler, plot, places(int(height), line, lanes, without), line, tick_width)


def _kv_is_idle(data: StageData) -> bool:
    used = int((data.arrays.blocks - data.arrays.steps.free).max(initial=0))
    return used < _IDLE_KV * data.arrays.blocks


def ticks(view: Viewport, where: Geometry) -> tuple[float, list[float]]:
    """Return the distance of the ruler's times, and those in view."""
    step = nice_step(view.span / max(1.0, where.ruler.width() / (where.tick_width * 1.5)))
    first = math.ceil(view.begin / step)
    return step, [number * step for number in range(first, math.floor(view.end / step) + 1)]
