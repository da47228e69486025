"""Steps as pixel columns: means, least and largest values, and pictures of them as arrays. No Qt.

A mean is over the column's time, exact however many steps fall into it.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ui.steps.step_arrays import Floats, Ints, StepColumns

_LEAST_PX = 1 / 3
Picture = npt.NDArray[np.uint32]
"""Shape (height, width), 0xffRRGGBB."""
Colours = npt.NDArray[np.float32]
"""Shape (n, 3), 0 to 255."""


@dataclass(frozen=True, slots=True)
class Window:
    """A span of time in pixel columns."""

    begin: float
    per_s: float
    """Pixels a second."""
    width: int

    @property
    def end(self) -> float:
        """The time after its last column."""
        return self.begin + self.width / self.per_s

    def x(self, t: Floats) -> Floats:
        """Return the place of times in pixels, cut to the window."""
        return np.clip((t - self.begin) * self.per_s, 0.0, float(self.width))


def steps_within(steps: StepColumns, window: Window) -> slice:
    """Return the steps that overlap a window."""
    first = int(np.searchsorted(steps.end, window.begin, side="right"))
    last = int(np.searchsorted(steps.begin, window.end, side="left"))
    return slice(first, max(first, last))


def mean_by_column(window: Window, begin: Floats, end: Floats, values: Floats) -> Floats:
    """Return the mean over each column's time of what holds from begin to end, and is 0 outside.

    Args:
        window: the columns.
        begin: shape (n,), increasing.
        end: shape (n,).
        values: shape (n, layers).

    Returns:
        Shape (layers, columns).
    """
    x = np.concatenate((window.x(begin), window.x(end)))
    at = x.astype(np.int64)
    share = x - at
    places = np.concatenate((at, at + 1))
    layers: list[Floats] = []
    for layer in range(values.shape[1]):
        column = values[:, layer]
        if not column.any():
            layers.append(np.zeros(window.width))
            continue
        jump = np.concatenate((column, -column))
        weights = np.concatenate((jump * (1 - share), jump * share))
        sums = np.bincount(places, weights=weights, minlength=window.width + 2).astype(np.float64)
        layers.append(np.cumsum(sums)[: window.width])
    return np.maximum(np.array(layers), 0.0)


def columns_of(window: Window, steps: StepColumns, part: slice) -> tuple[Ints, Ints, Ints]:
    """Return the columns that have steps, and for each its first step and the one after its last."""
    edges = window.begin + np.arange(window.width + 1) / window.per_s
    first = np.searchsorted(steps.end[part], edges[:-1], side="right")
    last = np.searchsorted(steps.begin[part], edges[1:], side="left")
    some = np.flatnonzero(first < last)
    return some.astype(np.int64), first[some].astype(np.int64), last[some].astype(np.int64)


def extremes(values: Floats, first: Ints, last: Ints) -> tuple[Floats, Floats]:
    """Return the least and the largest value of each column with steps."""
    if not len(first):
        return np.zeros(0), np.zeros(0)
    pairs = np.stack((first, last), axis=1).ravel()
    # A value after the last one, for columns that end with it.
    padded = np.append(values, values[-1:])
    return np.minimum.reduceat(padded, pairs)[::2], np.maximum.reduceat(padded, pairs)[::2]


def stack_picture(layers: Floats, top: float, height: int, colours: Colours, ground: int) -> Picture:
    """Return layers stacked from below as a picture.

    Args:
        layers: shape (layers, columns).
        top: the value at the upper edge.
        height: rows of the picture.
        colours: one a layer.
        ground: color above the stack, 0xffRRGGBB.
    """
    width = layers.shape[1]
    # Rounded up, so that whatever is there is seen.
    upper = np.ceil(np.cumsum(layers, axis=0) * (height / top if top > 0 else 0.0) - 1e-6)
    table = np.append(packed(colours.T), np.uint32(ground))
    rows = np.arange(height - 1, -1, -1, dtype=np.float64)[:, None]
    which = np.zeros((height, width), dtype=np.uint8)
    for layer in range(len(layers)):
        which += upper[layer][None, :] <= rows
    picture: Picture = table[which]
    return picture


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars in lanes, each with what it adds to the color below it."""

    row: Ints
    begin: Floats
    end: Floats
    offset: Colours


def lane_picture(
    window: Window, bars: Bars, rows: int, ground: Colours, *, keep_short: bool = False
) -> Picture:
    """Return bars as a picture with one row a lane; each pixel is the mean over its time.

    Args:
        window: the columns.
        bars: in any order.
        rows: number of lanes.
        ground: color of an empty lane, shape (3,).
        keep_short: give short bars a part of a pixel, so that no request vanishes.
    """
    stride = window.width + 2
    seen = (bars.end > window.begin) & (bars.begin < window.end)
    x0, x1 = window.x(bars.begin[seen]), window.x(bars.end[seen])
    if keep_short:
        x1 = np.minimum(np.maximum(x1, x0 + _LEAST_PX), float(window.width))
    x = np.concatenate((x0, x1))
    at = x.astype(np.int64)
    share = x - at
    base = np.tile(bars.row[seen].astype(np.int64), 2) * stride + at
    places = np.concatenate((base, base + 1))
    offset = bars.offset[seen]
    pixels = np.empty((3, rows, window.width), dtype=np.float32)
    for channel in range(3):
        jump = np.concatenate((offset[:, channel], -offset[:, channel]))
        weights = np.concatenate((jump * (1 - share), jump * share))
        sums = np.bincount(places, weights=weights, minlength=rows * stride).reshape(rows, stride)
        pixels[channel] = np.cumsum(sums, axis=1)[:, : window.width] + ground[channel]
    return packed(pixels)


def packed(colours: Colours) -> npt.NDArray[np.uint32]:
    """Return colors, their channels on the first axis, as 0xffRRGGBB."""
    red, green, blue = np.clip(colours + 0.5, 0, 255).astype(np.uint32)
    found: npt.NDArray[np.uint32] = (red << 16) | (green << 8) | blue | np.uint32(0xFF000000)
    return found


def unpacked(pixels: Picture) -> Colours:
    """Return 0xffRRGGBB as colors, their channels on the first axis."""
    channels = np.stack(((pixels >> 16) & 255, (pixels >> 8) & 255, pixels & 255))
    return channels.astype(np.float32)


def tall_rows(picture: Picture, edges: Ints, gap: int, ground: int) -> Picture:
    """Return row n stretched to rows `edges[n]` to `edges[n + 1]`, the last `gap` of them empty."""
    tall = np.repeat(picture, np.diff(edges), axis=0)
    for edge in edges[1:] if gap else ():
        tall[edge - gap : edge] = ground
    return tall
