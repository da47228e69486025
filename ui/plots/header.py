"""The line above a plot: its title, and the present values in the curves' colors."""

from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.look.theme import Theme

SECONDARY_SIZE = 0.9
_GAP = 0.9
"""Average characters between read-outs."""
_TITLE_SHARE = 0.25
"""The title's minimum share of the width."""
_TITLE_LETTERS = 8
"""Average characters that the title has at least."""


@dataclass(frozen=True)
class ReadOut:
    """One value with its name and color."""

    label: str
    value: str
    colour: QColor


class Note(NamedTuple):
    """The time or the run that the read-outs describe; empty for now."""

    text: str = ""
    short: str = ""
    """Used in narrow plots."""


class PlotHeader(QWidget):
    """The header, painted without a layout since it changes often and keeps its size."""

    def __init__(self, title: str, unit: str, theme: Theme) -> None:
        super().__init__()
        self._title, self._unit, self._theme = title, unit, theme
        self._read_outs: tuple[ReadOut, ...] = ()
        self._note = Note()
        self._level: ReadOut | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_values(self, read_outs: tuple[ReadOut, ...], note: Note, level: ReadOut | None = None) -> None:
        """Replace the read-outs; `note` names their time. Without room the first ones are left out."""
        if (read_outs, note, level) != (self._read_outs, self._note, self._level):
            self._read_outs, self._note, self._level = read_outs, note, level
            self.update()

    def said(self) -> str:
        """Return everything as one text."""
        level = [f"{self._level.label} {self._level.value}"] if self._level else []
        values = ", ".join(f"{part.label} {part.value}" for part in self._read_outs)
        return ", ".join([*level, f"{self._note.text}: {values}" if self._note.text else values])

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        metrics = QFontMetrics(self._value_font())
        return QSize(metrics.averageCharWidth() * 24, metrics.height() + 4)

    def minimumSizeHint(self) -> QSize:
        """Qt: return the minimum size."""
        return QSize(40, self.sizeHint().height())

    def _value_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * SECONDARY_SIZE)
        font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def _bold_font(self) -> QFont:
        font = self._value_font()
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the widget."""
        painter = QPainter(self)
        left = self._paint_read_outs(painter)
        self._paint_title(painter, self._bold_font(), left)
        painter.end()

    def _paint_read_outs(self, painter: QPainter) -> int:
        """Paint leftwards from the right end; return where they begin."""
        painter.setFont(self._value_font())
        metrics = painter.fontMetrics()
        gap = round(metrics.averageCharWidth() * _GAP)
        right = self.width() - gap
        bold = QFontMetrics(self._bold_font()).horizontalAdvance(self._title) + 2 * gap
        letters = metrics.averageCharWidth() * _TITLE_LETTERS
        least = min(bold, max(letters, round(self.width() * _TITLE_SHARE)))
        parts = [(f"{part.label} {part.value}", part.colour) for part in reversed(self._read_outs)]
        wanted = sum(metrics.horizontalAdvance(text) + gap for text, _ in parts)
        note = self._note.text
        if wanted + metrics.horizontalAdvance(note) > right - bold:
            note = self._note.short
        noted = metrics.horizontalAdvance(note) + gap if note else 0
        level, at_first = self._level, right
        for text, colour in parts:
            width = metrics.horizontalAdvance(text)
            if right - width < least + noted:
                level = None
                break
            right = self._paint_left_of(painter, right, text, colour) - gap
        if note and right < at_first:
            # Without the note a mean would look like the present value.
            right = self._paint_left_of(painter, right, note, self._theme.secondary) - gap
        if level:
            text = f"{level.label} {level.value}"
            if right - metrics.horizontalAdvance(text) >= least:
                right = self._paint_left_of(painter, right, text, level.colour) - gap
        return right

    def _paint_left_of(self, painter: QPainter, right: int, text: str, colour: QColor) -> int:
        width = painter.fontMetrics().horizontalAdvance(text)
        painter.setPen(colour)
        place = QRect(right - width, 0, width + 1, self.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)
        return right - width

    def _paint_title(self, painter: QPainter, bold: QFont, room: int) -> None:
        painter.setFont(bold)
        painter.setPen(self._theme.text)
        metrics = QFontMetrics(bold)
        title = metrics.elidedText(self._title, Qt.TextElideMode.ElideRight, max(0, room - 4))
        width = metrics.horizontalAdvance(title)
        painter.drawText(QRect(4, 0, width + 1, self.height()), Qt.AlignmentFlag.AlignVCenter, title)
        painter.setFont(self._value_font())
        painter.setPen(self._theme.secondary)
        unit_room = QRect(4 + width + 8, 0, max(0, room - width - 16), self.height())
        if painter.fontMetrics().horizontalAdvance(self._unit) <= unit_room.width():
            painter.drawText(unit_room, Qt.AlignmentFlag.AlignVCenter, self._unit)
