"""Icons: line drawings tinted to the theme's text color."""

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from workbench.base import resource

_SIZES = (16, 24, 32, 48, 64)
_DISABLED_OPACITY = 0.4


def icon(name: str, colour: QColor) -> QIcon:
    """Return the icon `name` of `resources/icons` in `colour`, sharp from 100 % to 400 %."""
    return _tinted(name, colour.name())


@cache
def _tinted(name: str, colour: str) -> QIcon:
    drawing = resource("icons", f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", colour)
    renderer = QSvgRenderer(QByteArray(drawing.encode()))
    drawn = QIcon()
    for size in _SIZES:
        drawn.addPixmap(_render(renderer, size, 1.0), QIcon.Mode.Normal)
        drawn.addPixmap(_render(renderer, size, _DISABLED_OPACITY), QIcon.Mode.Disabled)
    return drawn


def _render(renderer: QSvgRenderer, size: int, opacity: float) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setOpacity(opacity)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
