"""The arrangement of the plots: a main plot with its companion on the left, small multiples beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from ui.insights.bottleneck_timeline import BottleneckTimeline
from ui.plots.plot import LivePlot

LEAST_HEIGHT = 64
"""Pixels that a small plot needs, with the space under it."""
_MOST_COLUMNS = 3
_ONE_COLUMN = (3, 2)
"""Shares of the width for the main plot and one column of small ones; with more columns each has half."""
_MAIN, _COMPANION = 3, 2
"""Shares of the height on the left."""

COMPANIONS = {"ttft": "parts", "kv": "preempt"}
"""A plot that explains the main plot under it, by the main plot's id."""


def columns_for(count: int, height: int) -> int:
    """Return the number of columns of so many small plots."""
    rows = max(1, height // LEAST_HEIGHT)
    return min(_MOST_COLUMNS, max(1, -(-count // rows)))


@dataclass(frozen=True)
class Arrangement:
    """Places of the plots."""

    main: LivePlot
    companion: LivePlot | None
    small: tuple[LivePlot, ...]
    columns: int


def arrange(shown: Sequence[LivePlot], main: str, height: int) -> Arrangement:
    """Return the places of the shown plots; the first one is large if `main` isn't shown."""
    by_id = {plot.spec.id: plot for plot in shown}
    large = by_id.get(main, shown[0])
    companion = by_id.get(COMPANIONS.get(large.spec.id, ""))
    small = tuple(plot for plot in shown if plot not in (large, companion))
    return Arrangement(large, companion, small, columns_for(len(small), height))


class PlotLayout:
    """Puts the plots of an arrangement into a widget."""

    def __init__(self, area: QWidget, timeline: BottleneckTimeline) -> None:
        self._timeline = timeline
        self._row = QHBoxLayout(area)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(6)
        self._left, self._right = QVBoxLayout(), QGridLayout()
        self._left.setSpacing(4)
        self._right.setSpacing(4)
        self._row.addLayout(self._left)
        beside = QVBoxLayout()
        beside.setSpacing(4)
        beside.addLayout(self._right, 1)
        # The time axes of both sides end at one height, above the timeline.
        beside.addSpacing(timeline.sizeHint().height() + 4)
        self._row.addLayout(beside)

    def place(self, found: Arrangement) -> None:
        """Place the plots; only the lowest ones have time labels."""
        for layout in (self._left, self._right):
            while layout.count():
                layout.takeAt(0)
        self._left.addWidget(found.main, _MAIN)
        if found.companion is not None:
            self._left.addWidget(found.companion, _COMPANION)
        self._left.addWidget(self._timeline)
        found.main.show_time_axis(labelled=found.companion is None)
        self._place_small(found.small, found.columns)
        left, right = (1, 0) if not found.small else _ONE_COLUMN if found.columns == 1 else (1, 1)
        self._row.setStretch(0, left)
        self._row.setStretch(1, right)
        if found.companion is not None:
            found.companion.show_time_axis(labelled=True)

    def _place_small(self, small: Sequence[LivePlot], columns: int) -> None:
        rows = -(-len(small) // columns)
        for row in range(max(rows, self._right.rowCount())):
            self._right.setRowStretch(row, 1 if row < rows else 0)
        for column in range(max(columns, self._right.columnCount())):
            self._right.setColumnStretch(column, 1 if column < columns else 0)
        for number, plot in enumerate(small):
            row, column = divmod(number, columns)
            lowest = number + columns >= len(small)
            # In an incomplete last row, the plots above the gap extend to the bottom.
            self._right.addWidget(plot, row, column, rows - row if lowest else 1, 1)
            plot.show_time_axis(labelled=lowest)
