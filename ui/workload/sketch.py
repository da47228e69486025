"""A sketch of a workload: arrivals over time, prompt and output lengths, stacked by class."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from ui.language import number_text
from ui.look.theme import Theme
from ui.workload.preview import TracePreview

if TYPE_CHECKING:
    import numpy as np

_GAP = 8


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("workload figures", text)


class TraceSketch(QWidget):
    """Paints the workload of `show_preview`."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.preview: TracePreview | None = None
        self.setAccessibleName(self.tr("Shape of the workload"))
        theme.changed.connect(self.update)

    def show_preview(self, preview: TracePreview | None) -> None:
        """Draw this workload; None clears the sketch."""
        self.preview = preview
        if preview is not None:
            self.setAccessibleDescription(figures_of(preview))
        self.update()

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        em = self.fontMetrics().height()
        return QSize(18 * em, 6 * em)

    def minimumSizeHint(self) -> QSize:
        """Qt: return the minimum size."""
        em = self.fontMetrics().height()
        return QSize(10 * em, 5 * em)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the widget."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.background)
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.85)
        painter.setFont(font)
        drawn = self.preview.drawing if self.preview else None
        if drawn is not None:
            self._paint(painter, drawn)
        painter.end()

    def _paint(self, painter: QPainter, drawn: Any) -> None:
        line = painter.fontMetrics().height()
        legend = line if len(drawn.arrivals_rps) > 1 else 0
        if legend:
            self._paint_legend(painter, list(drawn.arrivals_rps), line)
        third = (self.width() - 4 * _GAP) / 3
        top, height = legend + 2.0, self.height() - legend - 2 * line - 6.0
        parts: tuple[tuple[str, Mapping[str, Any], str, str], ...] = (
            (
                self.tr("arrivals"),
                drawn.arrivals_rps,
                "0",
                f"{number_text.count(len(drawn.begin_s) * drawn.bin_s)} s",
            ),
            (self.tr("prompt"), drawn.input_counts, "1", number_text.count(float(drawn.edges[-1]))),
            (self.tr("output"), drawn.output_counts, "1", number_text.count(float(drawn.edges[-1]))),
        )
        for place, (title, series, first, last) in enumerate(parts):
            area = QRectF(_GAP + place * (third + _GAP), top + line, third, height)
            painter.setPen(self._theme.secondary)
            painter.drawText(QRectF(area.left(), top, third, line), Qt.AlignmentFlag.AlignLeft, title)
            self._paint_stack(painter, area, series)
            painter.setPen(self._theme.secondary)
            below = QRectF(area.left(), area.bottom() + 1, third, line)
            painter.drawText(below, Qt.AlignmentFlag.AlignLeft, first)
            painter.drawText(below, Qt.AlignmentFlag.AlignRight, last)

    def _paint_legend(self, painter: QPainter, names: list[str], line: int) -> None:
        left = float(_GAP)
        for place, name in enumerate(names):
            painter.fillRect(QRectF(left, line * 0.25, line * 0.5, line * 0.5), self._hue(place))
            painter.setPen(self._theme.secondary)
            painter.drawText(
                QRectF(left + line * 0.7, 0, self.width(), line), Qt.AlignmentFlag.AlignVCenter, name
            )
            left += line * 1.4 + painter.fontMetrics().horizontalAdvance(name)

    def _hue(self, place: int) -> QColor:
        return self._theme.of_class(place)

    def _paint_stack(
        self, painter: QPainter, area: QRectF, series: "Mapping[str, np.ndarray[Any, Any]]"
    ) -> None:
        """Paint columns side by side, with the classes stacked."""
        painter.fillRect(QRectF(area.left(), area.bottom(), area.width(), 1), self._theme.axis)
        columns = _in_columns(list(series.values()), max(1, int(area.width())))
        total = columns.sum(axis=0)
        most = float(total.max()) if total.size else 0.0
        if most <= 0:
            return
        width = area.width() / columns.shape[1]
        bottoms = [area.bottom()] * columns.shape[1]
        for place, row in enumerate(columns):
            hue = self._hue(place)
            for at, value in enumerate(row):
                if value > 0:
                    height = area.height() * float(value) / most
                    bottoms[at] -= height
                    painter.fillRect(
                        QRectF(area.left() + at * width, bottoms[at], max(width, 1.0), height), hue
                    )


def _in_columns(series: list[Any], most: int) -> Any:
    """Return the series as rows, shape (classes, columns), averaged to at most `most` columns."""
    import numpy as np  # noqa: PLC0415 - loaded by now, with the trace

    rows = np.array([np.asarray(values, dtype=np.float64) for values in series])
    if rows.shape[1] <= most:
        return rows
    edges = np.linspace(0, rows.shape[1], most + 1).astype(int)[:-1]
    sizes = np.diff(np.append(edges, rows.shape[1]))
    return np.add.reduceat(rows, edges, axis=1) / sizes


def figures_of(found: TracePreview) -> str:
    """Return a workload in one line."""
    said = _t("{0} requests, in {1} (p95 {2}), out {3} (p95 {4}) tokens").format(
        number_text.count(found.requests),
        number_text.count(found.input_mean),
        number_text.count(found.input_p95),
        number_text.count(found.output_mean),
        number_text.count(found.output_p95),
    )
    return (
        said if found.rate is None else _t("{0}, {1} req/s").format(said, number_text.significant(found.rate))
    )
