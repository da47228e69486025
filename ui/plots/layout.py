"""The arrangement of the plots: two columns, or three for more than six plots with enough room."""

from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout

from ui.insights.bottleneck_timeline import BottleneckTimeline
from ui.plots.plot import LivePlot

MOST_IN_TWO_COLUMNS = 6
LEAST_WIDTH = 36
"""Average characters that a plot in three columns needs."""


def columns_for(count: int, width: int, character: int) -> int:
    """Return the number of plots side by side."""
    if count <= 1:
        return 1
    three = count > MOST_IN_TWO_COLUMNS and width >= 3 * LEAST_WIDTH * character
    return 3 if three else 2


def place(
    grid: QGridLayout, plots: Sequence[LivePlot], timelines: Sequence[BottleneckTimeline], columns: int
) -> None:
    """Put the plots row by row, a timeline under each column; only the lowest plots have time labels."""
    while grid.count():
        grid.takeAt(0)
    rows = -(-len(plots) // columns) if plots else 0
    for row in range(grid.rowCount()):
        grid.setRowStretch(row, 1 if row < rows else 0)
    for column in range(grid.columnCount()):
        grid.setColumnStretch(column, 1 if column < columns else 0)
    for number, plot in enumerate(plots):
        row, column = divmod(number, columns)
        lowest = number + columns >= len(plots)
        # In an incomplete last row, the plots above the gap extend to the timeline.
        grid.addWidget(plot, row, column, rows - row if lowest else 1, 1)
        grid.setRowStretch(row, 1)
        grid.setColumnStretch(column, 1)
        plot.show_time_axis(labelled=lowest)
    for column, timeline in enumerate(timelines):
        timeline.setVisible(column < columns and bool(plots))
        if column < columns:
            grid.addWidget(timeline, rows, column)
