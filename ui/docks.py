"""The panels around the plots: where each stands at first."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

Areas = Qt.DockWidgetArea

_SIDES = {Areas.LeftDockWidgetArea: 46, Areas.RightDockWidgetArea: 34}
"""First width in average characters."""
_BOTTOM_LINES = 12


def make_docks(
    window: QMainWindow, rooms: dict[str, tuple[str, QWidget, Qt.DockWidgetArea]]
) -> dict[str, QDockWidget]:
    """One dock a room (title, content, area) by its name; the bottom ones become tabs, the first in front."""
    docks: dict[str, QDockWidget] = {}
    bottom: list[QDockWidget] = []
    for name, (title, content, area) in rooms.items():
        dock = QDockWidget(title, window)
        dock.setObjectName(name)
        dock.setWidget(content)
        window.addDockWidget(area, dock)
        docks[name] = dock
        if area == Areas.BottomDockWidgetArea:
            bottom.append(dock)
        else:
            width = window.fontMetrics().averageCharWidth() * _SIDES[area]
            window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)
    window.setTabPosition(Areas.BottomDockWidgetArea, window.tabPosition(Areas.TopDockWidgetArea))
    for behind in bottom[1:]:
        window.tabifyDockWidget(bottom[0], behind)
    bottom[0].raise_()
    height = window.fontMetrics().height() * _BOTTOM_LINES
    window.resizeDocks(bottom[:1], [height], Qt.Orientation.Vertical)
    return docks
