"""A small label with a frame, such as the word that a panel's figures are simulated."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.look import tokens
from ui.look.theme import Theme


class Badge(QWidget):
    """Keeps its place while it is off, so that nothing beside it moves."""

    def __init__(self, text: str, theme: Theme, tip: str = "") -> None:
        super().__init__()
        self._text, self._theme = text, theme
        self._on = False
        self.setToolTip(tip)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def on(self) -> bool:
        """True while it shows."""
        return self._on

    def set_on(self, *, on: bool) -> None:
        """Show or hide the badge."""
        self._on = on
        self.setAccessibleName(self._text if on else "")
        self.update()

    def _small(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * tokens.SMALLEST)
        return font

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._text) + 2 * tokens.GAP, metrics.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the frame and the word."""
        if not self._on:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._small())
        painter.setPen(QPen(self._theme.secondary, tokens.AXIS_PX))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5), 3, 3)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._text)
        painter.end()
