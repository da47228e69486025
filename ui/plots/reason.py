"""The text in the middle of a plot without curves."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QLabel, QWidget

_MARGIN = 8


class ReasonLabel(QLabel):
    """Covers the plot; the mouse reaches through it."""

    def __init__(self, over: QWidget) -> None:
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

    def fit(self) -> None:
        """Fit the label to the plot's size."""
        self.setGeometry(self._over.rect().adjusted(4 * _MARGIN, 0, -_MARGIN, 0))
