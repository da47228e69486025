"""The legend of the stage: classes by hue, kinds of work by tone."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.look.theme import Theme
from ui.steps.colours import DECODE_TONE, class_colours, pale
from ui.steps.stage_painter import stage_font

_MOST_CLASSES = 6


class Legend(QWidget):
    """One line of swatches, cut off at its right end if there is no room."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._classes: Sequence[str] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(40)
        theme.changed.connect(self.update)

    def show_classes(self, classes: Sequence[str]) -> None:
        """Show these classes."""
        self._classes = classes
        self.setToolTip(
            self.tr(
                "Hue: class of the request. Strong: prefill; pale: decode.\n"
                "Zoomed out, a column is the mean over its time; pale gray reaches up to its largest step."
            )
        )
        self.update()

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        return QSize(200, self.fontMetrics().height() + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the widget."""
        painter = QPainter(self)
        painter.setFont(stage_font(self.font()))
        left = 0.0
        for swatches, text in self._items():
            width = self._width(painter, swatches, text)
            if left + width > self.width():
                break
            self._paint_item(painter, left, swatches, text)
            left += width
        painter.end()

    def _items(self) -> list[tuple[list[QColor], str]]:
        theme, classes = self._theme, list(self._classes)
        if not classes:
            return []
        hues = class_colours(theme, len(classes), unknown="" in classes)
        pairs = [
            [hue, pale(theme, place, len(classes), DECODE_TONE, unknown="" in classes)]
            for place, hue in enumerate(hues)
        ]
        if len(classes) == 1:
            items = [([pairs[0][0]], self.tr("prefill")), ([pairs[0][1]], self.tr("decode"))]
        else:
            named = zip(pairs, classes, strict=True)
            items = [(pair, name or self.tr("other")) for pair, name in list(named)[:_MOST_CLASSES]]
            if len(classes) > _MOST_CLASSES:
                items.append(([], self.tr("{0} more").format(len(classes) - _MOST_CLASSES)))
            items.append(([], self.tr("(strong: prefill, pale: decode)")))
        return [*items, ([theme.mark("preemption")], self.tr("preempted, recomputed"))]

    def _width(self, painter: QPainter, swatches: Sequence[QColor], text: str) -> float:
        line = painter.fontMetrics().height()
        return len(swatches) * line * 0.7 + 5 + painter.fontMetrics().horizontalAdvance(text) + line * 0.9

    def _paint_item(self, painter: QPainter, left: float, swatches: Sequence[QColor], text: str) -> None:
        line = painter.fontMetrics().height()
        top = (self.height() - line * 0.6) / 2
        for colour in swatches:
            painter.fillRect(QRectF(left, top, line * 0.7, line * 0.6), colour)
            left += line * 0.7
        painter.setPen(self._theme.secondary)
        area = QRectF(left + 5, 0, self.width(), self.height())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
