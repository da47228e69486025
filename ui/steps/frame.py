"""One picture of the stage for a span of time, made in a worker thread. No Qt."""

from dataclasses import dataclass

import numpy as np

from ui.steps.bands import Band, Place
from ui.steps.colours import FAINT_SHARE, RANGE_TONE, StageColours
from ui.steps.pixels import (
    Bars,
    Colours,
    Picture,
    Window,
    columns_of,
    extremes,
    lane_picture,
    mean_by_column,
    packed,
    stack_picture,
    steps_within,
    tall_rows,
    unpacked,
)
from ui.steps.stage_data import StageData
from ui.steps.step_arrays import DECODE, PREFILL, REASONS, Floats, Ints, Shorts

SEPARATE_PX = 5.0
"""Least mean width at which steps are columns with a gap between."""
_LINED_PX = 12.0
"""Least mean width at which the slots show single steps too."""
_REASON_PX = 12
"""Width of the pieces of time whose main reason is named."""
_MAIN_SHARE = 0.6
_STEP_LINE = 0.55
_GRID_LINE = 0.09
_PALE_REASON = 0.3
"""Opacities of the lines over the pictures."""
_LEAST_LANE_PX = 3
"""Lower lanes have no gap between."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The pictures of the bands for a span of time, in device pixels."""

    window: Window
    pictures: dict[Band, Picture]
    data: StageData
    overview: bool
    """True for the picture of the whole record."""
    reasons: tuple[tuple[float, float, int], ...] = ()
    """Begin, end and code of stretches in which the head of the queue mostly waited for one reason."""


@dataclass(frozen=True, slots=True)
class FrameJob:
    """Content of a frame."""

    data: StageData
    window: Window
    places: tuple[Place, ...]
    ratio: float
    """Device pixels a pixel."""
    colours: StageColours
    overview: bool = False
    grid: tuple[float, ...] = ()
    """Times of the grid's lines."""
    highlighted: frozenset[int] = frozenset()
    """Requests that stay strong while others fade; empty: all are strong."""

    def render(self) -> Frame:
        """Make the pictures."""
        painters = {
            Band.QUEUE: self._queue,
            Band.WHY: self._why,
            Band.SLOTS: self._slots,
            Band.BUDGET: self._budget,
            Band.TIME: self._time,
            Band.KV: self._kv,
        }
        pictures = {
            place.band: painters[place.band](max(1, round(place.height * self.ratio)))
            for place in self.places
        }
        for picture in pictures.values():
            self._line(picture, np.array(self.grid), self.colours.text, _GRID_LINE)
        return Frame(self.window, pictures, self.data, self.overview, self._reasons())

    def _line(self, picture: Picture, times: Floats, colour: Colours, opacity: float) -> None:
        """Draw vertical lines at some times; in the window's thread, each would take 0.25 ms."""
        x = np.rint((times - self.window.begin) * self.window.per_s).astype(np.int64)
        width = max(1, round(self.ratio))
        for offset in range(width):
            at = x[(x + offset >= 0) & (x + offset < self.window.width)] + offset
            below = unpacked(picture[:, at])
            picture[:, at] = packed(below + (colour[:, None, None] - below) * opacity)

    def _means(self, part: slice, values: Floats, *, apart: bool = False) -> Floats:
        steps = self.data.arrays.steps
        begin, end = steps.begin[part], steps.end[part]
        if apart and (end - begin).mean() * self.window.per_s >= SEPARATE_PX:
            end = np.maximum(end - self.ratio / self.window.per_s, begin)
        return mean_by_column(self.window, begin, end, values)

    def _ground(self) -> int:
        return int(packed(self.colours.ground))

    def _queue(self, height: int) -> Picture:
        colours = np.vstack((self.colours.waiting, self.colours.lost))
        layers = self._held(self.data.queue)
        return stack_picture(layers, self.data.scales.queue, height, colours, self._ground())

    def _why(self, height: int) -> Picture:
        steps, colours = self.data.arrays.steps, self.colours
        part = steps_within(steps, self.window)
        part = slice(max(0, part.start - 1), part.stop)
        begin = steps.begin[part]
        reasons = Bars(
            row=np.zeros(len(begin), dtype=np.int64),
            begin=begin,
            end=np.append(begin[1:], steps.end[part][-1:]),
            offset=colours.reasons[steps.why[part]] - colours.ground,
        )
        strong = lane_picture(self.window, reasons, 1, colours.ground)
        shares = unpacked(strong) * _PALE_REASON + colours.ground[:, None, None] * (1 - _PALE_REASON)
        picture = np.repeat(packed(shares), height, axis=0)
        picture[-max(1, round(2 * self.ratio)) :] = strong
        return picture

    def _reasons(self) -> tuple[tuple[float, float, int], ...]:
        """Find the main reason of each piece of time, and join equal ones."""
        bins = max(1, self.window.width // round(_REASON_PX * self.ratio))
        window = Window(self.window.begin, bins / (self.window.end - self.window.begin), bins)
        why = self.data.arrays.steps.why
        shares = self._held((why[:, None] == np.arange(len(REASONS))).astype(np.int32), window)
        main = np.where(shares.max(axis=0) >= _MAIN_SHARE, shares.argmax(axis=0), 0)
        starts = np.flatnonzero(np.concatenate(([True], main[1:] != main[:-1])))
        edges = window.begin + np.append(starts, bins) / window.per_s
        return tuple(
            (float(edges[nth]), float(edges[nth + 1]), int(main[at]))
            for nth, at in enumerate(starts.tolist())
            if main[at]
        )

    def _kv(self, height: int) -> Picture:
        colours = np.vstack((self.colours.kv, self.colours.other))
        layers = self._held(self.data.owners)
        return stack_picture(layers, self.data.scales.blocks, height, colours, self._ground())

    def _held(self, values: Shorts, window: Window | None = None) -> Floats:
        """Return the mean by column of what holds from a step's begin to the next one's."""
        window = window or self.window
        steps = self.data.arrays.steps
        part = steps_within(steps, window)
        part = slice(max(0, part.start - 1), part.stop)
        begin = steps.begin[part]
        end = np.append(begin[1:], steps.end[part][-1:])
        return mean_by_column(window, begin, end, values[part].astype(np.float64))

    def _budget(self, height: int) -> Picture:
        data, colours = self.data, self.colours
        steps = data.arrays.steps
        part = steps_within(steps, self.window)
        top = data.scales.budget
        work = data.work[part].astype(np.float64)
        strong = np.vstack((colours.prefill, colours.decode, colours.lost))
        picture = stack_picture(self._means(part, work, apart=True), top, height, strong, self._ground())
        columns, first, last = columns_of(self.window, steps, part)
        _, largest = extremes(work.sum(axis=1), first, last)
        self._shade(picture, columns, largest / top)
        return picture

    def _time(self, height: int) -> Picture:
        """Draw the range of durations in each column, and their mean."""
        steps = self.data.arrays.steps
        part = steps_within(steps, self.window)
        seconds = (steps.end - steps.begin)[part]
        top = self.data.scales.time_s
        columns, first, last = columns_of(self.window, steps, part)
        sums = np.concatenate(([0.0], np.cumsum(seconds)))
        layers = np.zeros((1, self.window.width))
        layers[0, columns] = (sums[last] - sums[first]) / np.maximum(last - first, 1)
        if len(seconds) and seconds.mean() * self.window.per_s >= SEPARATE_PX:
            layers = self._means(part, seconds[:, None], apart=True)
        picture = stack_picture(layers, top, height, self.colours.bar[None, :], self._ground())
        _, largest = extremes(seconds, first, last)
        self._shade(picture, columns, largest / top)
        return picture

    def _shade(self, picture: Picture, columns: Ints, largest: Floats) -> None:
        """Draw a pale column behind, up to the largest value of its steps."""
        height = len(picture)
        upto = np.zeros(picture.shape[1])
        upto[columns] = np.ceil(largest * height - 1e-6)
        rows = np.arange(height - 1, -1, -1)[:, None]
        pale = self.colours.text * RANGE_TONE + self.colours.ground * (1 - RANGE_TONE)
        empty = picture == np.uint32(self._ground())
        apart = self._mean_step_px() >= SEPARATE_PX
        if not apart:
            picture[empty & (rows < upto[None, :])] = packed(pale)

    def _mean_step_px(self) -> float:
        steps = self.data.arrays.steps
        part = steps_within(steps, self.window)
        return (
            float((steps.end - steps.begin)[part].mean() * self.window.per_s)
            if part.stop > part.start
            else 0.0
        )

    def _slots(self, height: int) -> Picture:
        data = self.data
        rows = min(data.lanes, height)
        edges = (np.arange(rows + 1) * height) // rows
        picture = lane_picture(self.window, self._bars(rows), rows, self.colours.ground, keep_short=True)
        lane_px = height / rows
        gap = max(1, round(self.ratio)) if lane_px >= _LEAST_LANE_PX * self.ratio else 0
        tall = tall_rows(picture, edges, gap, self._ground())
        if self._mean_step_px() >= _LINED_PX * self.ratio:
            steps = data.arrays.steps
            begins = steps.begin[steps_within(steps, self.window)]
            self._line(tall, begins, self.colours.ground, _STEP_LINE)
        return tall

    def _bars(self, rows: int) -> Bars:
        """Return slots that are held, pale, and on them the work in the tone of its kind."""
        data, colours = self.data, self.colours
        stays, works = data.stays, data.stretches
        cls = data.arrays.requests.cls
        held = colours.held[cls[stays.request]]
        of_work = cls[works.request]
        tones = np.where(
            (works.kind == DECODE)[:, None],
            colours.decode[of_work],
            np.where((works.kind == PREFILL)[:, None], colours.prefill[of_work], colours.lost),
        )
        offsets = np.vstack((held - colours.ground, tones - colours.held[of_work])).astype(np.float32)
        if self.highlighted:
            strong = np.isin(np.concatenate((stays.request, works.request)), list(self.highlighted))
            offsets *= np.where(strong, 1.0, FAINT_SHARE)[:, None].astype(np.float32)
        lanes = np.concatenate((stays.lane, works.lane)).astype(np.int64)
        # Lanes that share a row each fill their part of it.
        offsets *= min(1.0, rows / data.lanes)
        return Bars(
            row=lanes * rows // data.lanes,
            begin=np.concatenate((stays.begin, works.begin)),
            end=np.concatenate((stays.end, works.end)),
            offset=offsets,
        )
