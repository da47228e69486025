"""The names at the ends of curves, without overlaps."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtGui import QColor, QFont, QFontMetricsF

_OFFSET_PX = 3.0
_TEXT_MARGIN_PX = 4.0
"""Margin of Qt's text documents on each side."""


class EndLabels:
    """One text item for each curve; placed again when the curves change."""

    def __init__(self, item: pg.PlotItem, names: Sequence[str]) -> None:
        self._box = item.getViewBox()
        self._names = tuple(names)
        self._texts = [pg.TextItem(name, anchor=(0, 0.5)) for name in names]
        self._height = 12.0
        self._widths = [0.0 for _ in names]
        for text in self._texts:
            text.setVisible(False)
            item.addItem(text, ignoreBounds=True)

    def recolour(self, colours: Sequence[QColor], font: QFont) -> None:
        """Apply the theme's colors and the font."""
        metrics = QFontMetricsF(font)
        self._height = metrics.height()
        self._widths = [
            metrics.horizontalAdvance(name) + 2 * _TEXT_MARGIN_PX + _OFFSET_PX for name in self._names
        ]
        for text, colour in zip(self._texts, colours, strict=True):
            text.setFont(font)
            text.setColor(colour)

    def place(self, ends: Sequence[tuple[float, float] | None]) -> None:
        """Put each name beside its curve's end (time, value); None hides it."""
        (left, right), (low, high) = self._box.viewRange()
        rect = self._box.rect()
        if rect.height() < 1 or high <= low or right <= left:
            return
        per_pixel = (high - low) / rect.height()
        across = (right - left) / rect.width()
        wanted = [
            (end[1] / per_pixel, index, end[0])
            for index, end in enumerate(ends)
            if end and left <= end[0] <= right
        ]
        for text in self._texts:
            text.setVisible(False)
        if len(wanted) * self._height > rect.height():
            # They would cover each other and the curves; the read-outs above have the same colors.
            return
        for pixel, index, time in spread(sorted(wanted), self._height, rect.height()):
            fits = time + self._widths[index] * across <= right
            text = self._texts[index]
            # Without room beside the end, the plot's edge covers the least of the curve.
            text.setAnchor((0, 0.5) if fits else (1, 0.5))
            text.setPos(time + _OFFSET_PX * across if fits else right, pixel * per_pixel)
            text.setVisible(True)


def spread(
    ordered: Sequence[tuple[float, int, float]], height: float, room: float
) -> list[tuple[float, int, float]]:
    """Move labels up so that each is `height` above the last, then down from `room`.

    `ordered` holds (pixels above the axis, curve, time), lowest first.
    """
    placed: list[tuple[float, int, float]] = []
    floor = height / 2
    for pixel, index, time in ordered:
        at = max(pixel, floor)
        placed.append((at, index, time))
        floor = at + height
    ceiling = room - height / 2
    for place in range(len(placed) - 1, -1, -1):
        pixel, index, time = placed[place]
        placed[place] = (min(pixel, ceiling), index, time)
        ceiling = placed[place][0] - height
    return placed
