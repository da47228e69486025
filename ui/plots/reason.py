"""The text in the middle of a plot without curves."""

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QLabel

_MARGIN = 2


class ReasonLabel(QLabel):
    """Covers the plot between its axes; the mouse reaches through it."""

    def __init__(self, over: pg.PlotWidget) -> None:
        super().__init__(over)
        self._over = over
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setVisible(False)

    def recolour(self, colour: QColor, font: QFont) -> None:
        """Apply the theme's color and the font."""
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, colour)
        self.setPalette(palette)
        self.setFont(font)

    def show_reason(self, text: str) -> None:
        """Show this text; "" hides it."""
        if text != self.text():
            self.setText(text)
            self.fit()
        self.setVisible(bool(text))

    def fit(self, *_: object) -> None:
        """Fit the label to the room between the axes."""
        inside = self._over.getPlotItem().getViewBox().sceneBoundingRect()
        room = self._over.mapFromScene(inside).boundingRect()
        self.setGeometry(room.adjusted(_MARGIN, 0, -_MARGIN, 0))
