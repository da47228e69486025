"""Three arrangements of the same rooms: to tune, to show an audience, to review results."""

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QTabBar

from ui.window_parts import WindowParts

DEMO_FONT = 1.4
"""Read from the last row."""
_DEMO_WORDS = 36
"""Average characters of a line beside the plots."""
_REVIEW_SHARE = 0.62
"""Of the window's height for the scorecard."""


def tune(window: WindowParts) -> None:
    """All rooms, the plots the loudest."""
    window.reset_layout()
    scale(window, 1.0)
    window.actions_["view.chart"].setChecked(False)
    tidy_soon(window)


def demo(window: WindowParts) -> None:
    """Plots and narration only, in larger type."""
    for name, dock in window.docks.items():
        dock.setVisible(name == "insights")
    scale(window, DEMO_FONT)
    width = round(window.fontMetrics().averageCharWidth() * _DEMO_WORDS * DEMO_FONT)
    window.resizeDocks([window.docks["insights"]], [width], Qt.Orientation.Horizontal)
    tidy_soon(window)


def review(window: WindowParts) -> None:
    """Scorecard and comparison chart large, the plots of the chosen run above."""
    scale(window, 1.0)
    for name, dock in window.docks.items():
        dock.setVisible(name in {"scorecard", "log"})
    window.docks["scorecard"].raise_()
    height = round(window.height() * _REVIEW_SHARE)
    window.resizeDocks([window.docks["scorecard"]], [height], Qt.Orientation.Vertical)
    window.actions_["view.chart"].setChecked(True)
    tidy_soon(window)


def tidy_soon(window: WindowParts) -> None:
    """Once the panels stand in their places, hide tabs that Qt left behind from an earlier arrangement."""
    QTimer.singleShot(0, window, lambda: _tidy(window))


def _tidy(window: WindowParts) -> None:
    docks = {dock.windowTitle(): dock for dock in window.docks.values()}
    only_own = Qt.FindChildOption.FindDirectChildrenOnly
    for bar in window.findChildren(QTabBar, options=only_own):
        bar.setAccessibleName(QCoreApplication.translate("docks", "Panels"))
        titles = {bar.tabText(place) for place in range(bar.count())}
        first = next((docks[title] for title in titles if title in docks), None)
        group = [] if first is None else [first, *window.tabifiedDockWidgets(first)]
        if titles != {dock.windowTitle() for dock in group if not dock.isHidden()}:
            bar.hide()


def scale(window: WindowParts, factor: float) -> None:
    """Letters of plots, words and banner so much larger than the window's."""
    font = QFont(window.font())
    font.setPointSizeF(font.pointSizeF() * factor)
    for room in (window.plots, window.insights, window.banner):
        room.setFont(font)


def scale_of(window: WindowParts) -> float:
    """The factor that `scale` gave last."""
    return round(window.insights.font().pointSizeF() / window.font().pointSizeF(), 2)
