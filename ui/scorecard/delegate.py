"""Paints a scorecard cell: accent, figure, and the difference in smaller type."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ui.look import tokens
from ui.look.theme import Theme
from ui.scorecard.model import Cell, Role

_MARGIN = 5


class CellDelegate(QStyledItemDelegate):
    """Paints every column of the scorecard."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._theme = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Qt: paint a cell."""
        cell: Cell | None = index.data(Role.CELL)
        self.initStyleOption(option, index)
        option.text = ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        if cell is None:
            return
        painter.save()
        if cell.under_test or (cell.baseline and index.column() == 0):
            accent = self._theme.mark("under_test") if cell.under_test else self._theme.baseline
            painter.fillRect(
                QRect(option.rect.left(), option.rect.top() + 1, tokens.ACCENT_PX, option.rect.height() - 2),
                accent,
            )
        self._paint_parts(
            painter, option, cell, left=bool(option.displayAlignment & Qt.AlignmentFlag.AlignLeft)
        )
        painter.restore()

    def _paint_parts(
        self, painter: QPainter, option: QStyleOptionViewItem, cell: Cell, *, left: bool
    ) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        rect = option.rect.adjusted(_MARGIN + (tokens.ACCENT_PX if left else 0), 0, -_MARGIN, 0)
        parts = self._parts(option, cell, selected=selected)
        if left:
            text, colour, font = parts[0]
            painter.setFont(font)
            painter.setPen(colour)
            shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
            painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, shown)
            return
        right = rect.right()
        for text, colour, font in reversed(parts):
            width = QFontMetrics(font).horizontalAdvance(text)
            painter.setFont(font)
            painter.setPen(colour)
            painter.drawText(
                QRect(right - width, rect.top(), width + 1, rect.height()),
                Qt.AlignmentFlag.AlignVCenter,
                text,
            )
            right -= width

    def _parts(
        self, option: QStyleOptionViewItem, cell: Cell, *, selected: bool
    ) -> list[tuple[str, QColor, QFont]]:
        palette = option.palette
        plain = palette.color(QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text)
        quiet = plain if selected else self._theme.secondary
        colour = quiet if cell.dimmed or cell.baseline else plain
        if cell.meaning and not selected:
            colour = self._theme.ink(cell.meaning)
        font = QFont(option.font)
        font.setFeature(QFont.Tag("tnum"), 1)
        small = QFont(font)
        small.setPointSizeF(font.pointSizeF() * tokens.SECONDARY)
        parts = [(cell.text, colour, font)]
        if cell.difference:
            change = quiet
            if cell.improves is not None and not selected and not cell.dimmed:
                change = self._theme.ink("pass" if cell.improves else "fail")
            parts.append((f"  {cell.difference}", change, small))
        return parts

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Qt: return the wanted size."""
        cell: Cell | None = index.data(Role.CELL)
        metrics = QFontMetrics(option.font)
        text = cell.plain() if cell and not cell.heading else ""
        return QSize(metrics.horizontalAdvance(text) + 2 * _MARGIN + 14, metrics.height() + 6)
