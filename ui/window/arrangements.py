"""Arrangements of the panels: to tune, to show an audience, to review results, to look at steps."""

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QTabBar

from ui.window.window_parts import WindowParts

DEMO_FONT = 1.4
"""Readable from the last row of an audience."""
_DEMO_WORDS = 36
"""Average characters of a line beside the plots."""
_REVIEW_SHARE = 0.62
"""Share of the window's height for the scorecard."""


NARROW_PX = 900
"""Width of a window that has no room for plots between two panels, such as 1366 pixels at 200 %."""
LOW_PX = 480
"""Height of a window in which the messages share the status line."""
_LEAST_LINES = 4
"""Lines of a bottom panel in a narrow window."""


def fit_narrow(window: WindowParts) -> None:
    """Put the insights behind the experiment as a tab if the window is narrow."""
    if window.width() >= NARROW_PX:
        return
    for dock in window.docks.values():
        if window.dockWidgetArea(dock) == Qt.DockWidgetArea.BottomDockWidgetArea:
            dock.widget().setMinimumHeight(window.fontMetrics().height() * _LEAST_LINES)
    window.tabifyDockWidget(window.docks["experiment"], window.docks["insights"])
    window.docks["experiment"].raise_()
    if window.height() < LOW_PX:
        bar = window.statusBar()
        bar.addWidget(window.messages, 2)
        bar.setFixedHeight(window.messages.height())
    tidy_soon(window)
    # The room that the panels left before made the window taller than its screen.
    room = window.screen().availableGeometry()
    QTimer.singleShot(0, window, lambda: window.resize(window.width(), min(window.height(), room.height())))


def tune(window: WindowParts) -> None:
    """Show all panels."""
    window.centre.show()
    window.reset_layout()
    scale(window, 1.0)
    window.actions_["view.chart"].setChecked(False)
    tidy_soon(window)


def demo(window: WindowParts) -> None:
    """Show plots and narration only, in larger type."""
    window.centre.show()
    for name, dock in window.docks.items():
        dock.setVisible(name == "insights")
    scale(window, DEMO_FONT)
    width = round(window.fontMetrics().averageCharWidth() * _DEMO_WORDS * DEMO_FONT)
    window.resizeDocks([window.docks["insights"]], [width], Qt.Orientation.Horizontal)
    tidy_soon(window)


def review(window: WindowParts) -> None:
    """Show scorecard and comparison chart large, the plots of the chosen run above."""
    window.centre.show()
    scale(window, 1.0)
    for name, dock in window.docks.items():
        dock.setVisible(name in {"scorecard", "log"})
    window.docks["scorecard"].raise_()
    height = round(window.height() * _REVIEW_SHARE)
    window.resizeDocks([window.docks["scorecard"]], [height], Qt.Orientation.Vertical)
    window.actions_["view.chart"].setChecked(True)
    tidy_soon(window)


def steps(window: WindowParts) -> None:
    """Show the steps of the scheduler instead of the plots, the requests beside them as a tab."""
    scale(window, 1.0)
    window.centre.hide()
    for name, dock in window.docks.items():
        dock.setVisible(name in {"scorecard", "requests", "steps"})
    window.docks["steps"].raise_()
    window.resizeDocks([window.docks["steps"]], [window.height()], Qt.Orientation.Vertical)
    window.actions_["view.chart"].setChecked(False)
    tidy_soon(window)


def tidy_soon(window: WindowParts) -> None:
    """Hide tab bars that Qt left from an earlier arrangement, once the panels are in place."""
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
    """Scale the letters of plots, insights and banner to `factor` times the window's."""
    font = QFont(window.font())
    font.setPointSizeF(font.pointSizeF() * factor)
    for room in (window.plots, window.insights, window.banner, window.demo_stage):
        room.setFont(font)


def scale_of(window: WindowParts) -> float:
    """Return the factor of the last `scale`."""
    return round(window.insights.font().pointSizeF() / window.font().pointSizeF(), 2)
