"""Three arrangements of the same rooms: to tune, to show an audience, to review results."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont

if TYPE_CHECKING:
    from ui.main_window import MainWindow

DEMO_FONT = 1.4
"""Read from the last row."""
_DEMO_WORDS = 36
"""Average characters of a line beside the plots."""
_REVIEW_SHARE = 0.62
"""Of the window's height for the scorecard."""


def tune(window: "MainWindow") -> None:
    """All rooms, the plots the loudest."""
    window.reset_layout()
    scale(window, 1.0)
    window.actions_["view.chart"].setChecked(False)


def demo(window: "MainWindow") -> None:
    """Plots and narration only, in larger type."""
    for name, dock in window.docks.items():
        dock.setVisible(name == "guide")
    scale(window, DEMO_FONT)
    width = round(window.fontMetrics().averageCharWidth() * _DEMO_WORDS * DEMO_FONT)
    window.resizeDocks([window.docks["guide"]], [width], Qt.Orientation.Horizontal)


def review(window: "MainWindow") -> None:
    """Scorecard and comparison chart large, the plots of the chosen run above."""
    scale(window, 1.0)
    for name, dock in window.docks.items():
        dock.setVisible(name in {"scorecard", "log"})
    window.docks["scorecard"].raise_()
    height = round(window.height() * _REVIEW_SHARE)
    window.resizeDocks([window.docks["scorecard"]], [height], Qt.Orientation.Vertical)
    window.actions_["view.chart"].setChecked(True)


def scale(window: "MainWindow", factor: float) -> None:
    """Letters of plots, words and banner so much larger than the window's."""
    font = QFont(window.font())
    font.setPointSizeF(font.pointSizeF() * factor)
    for room in (window.plots, window.guide, window.banner):
        room.setFont(font)


def scale_of(window: "MainWindow") -> float:
    """The factor that `scale` gave last."""
    return round(window.guide.font().pointSizeF() / window.font().pointSizeF(), 2)
