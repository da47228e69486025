"""The session as a graph: boxes from left to right, joined by the adopted values."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QScrollArea, QWidget

from ui.language.number_text import plain
from ui.look.theme import Theme, blend
from ui.session.node_positions import NodePosition, node_positions

if TYPE_CHECKING:
    from workbench.experiments.session import SessionStep

_MARGIN = 10
_BOX_WIDTH, _GAP = 13.5, 11.0
"""Line heights: room for a control's name, and for `name = value` between two boxes."""


class SessionGraph(QWidget):
    """Paints the steps; a click or the arrow keys choose one."""

    chosen = Signal(int)
    """A step's number."""
    opened = Signal(int)
    """After a double click or Enter."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._places: list[NodePosition] = []
        self._chosen: int | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Session: chain of experiments"))
        theme.changed.connect(self.update)

    def show_steps(self, steps: Sequence["SessionStep"], chosen: int | None) -> None:
        """Show these steps."""
        self._places = node_positions(steps)
        self._chosen = chosen
        current = self.place_of(chosen)
        self.setAccessibleDescription("" if current is None else self.sentence(current.step))
        self.setMinimumSize(self.sizeHint())
        self.updateGeometry()
        self.update()

    def place_of(self, step_id: int | None) -> NodePosition | None:
        """Return the position of a step."""
        return next((place for place in self._places if place.step.id == step_id), None)

    def sentence(self, step: "SessionStep") -> str:
        """Return a sentence on a step."""
        measured = self.tr("measured") if step.bench else self.tr("not measured yet")
        begins = "" if step.parent is None else self.tr(", from step {0}").format(step.parent)
        return f"{step.id}: {step.experiment.name}{begins}, {measured}"

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        right = max((self._box(place).right() for place in self._places), default=0.0)
        bottom = max((self._box(place).bottom() for place in self._places), default=0.0)
        return QSize(round(right) + _MARGIN, round(bottom) + _MARGIN)

    def _box(self, place: NodePosition) -> QRectF:
        em = self.fontMetrics().height()
        width, height = _BOX_WIDTH * em, 3.3 * em
        left = _MARGIN + place.column * (_BOX_WIDTH + _GAP) * em
        return QRectF(left, _MARGIN + place.row * (height + 0.8 * em), width, height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the widget."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.background)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._places:
            painter.setPen(self._theme.secondary)
            painter.drawText(
                self.rect().adjusted(_MARGIN, 0, -_MARGIN, 0),
                Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap,
                self.tr(
                    "A session is a chain of experiments: each starts from the result of the one before."
                ),
            )
        for place in self._places:
            self._paint_edge(painter, place)
        for place in self._places:
            self._paint_box(painter, place)
        painter.end()

    def _paint_edge(self, painter: QPainter, place: NodePosition) -> None:
        parent = self.place_of(place.step.parent)
        if parent is None:
            return
        before, after = self._box(parent), self._box(place)
        start, end = QPointF(before.right(), before.center().y()), QPointF(after.left(), after.center().y())
        bend = after.left() - (_GAP - 1) * self.fontMetrics().height()
        painter.setPen(QPen(self._theme.axis, 1))
        painter.drawPolyline([start, QPointF(bend, start.y()), QPointF(bend, end.y()), end])
        if place.step.adopted is None:
            text = self.tr("unchanged")
        else:
            text = f"{parent.step.experiment.tested.name} = {plain(place.step.adopted)}"
        painter.setFont(self._small_font())
        painter.setPen(self._theme.ink("under_test"))
        metrics = painter.fontMetrics()
        room = QRectF(bend + 3, end.y() - metrics.height() - 1, end.x() - bend - 5, metrics.height())
        elided = metrics.elidedText(text, Qt.TextElideMode.ElideLeft, round(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)

    def _small_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)
        return font

    def _paint_box(self, painter: QPainter, place: NodePosition) -> None:
        theme, step, box = self._theme, place.step, self._box(place)
        chosen = step.id == self._chosen
        edge = theme.mark("under_test") if chosen else theme.axis
        painter.setPen(QPen(edge, 2 if chosen and self.hasFocus() else 1))
        painter.setBrush(blend(theme.mark("under_test"), theme.background, 0.12 if chosen else 0.0))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        inner = box.adjusted(7, 3, -7, -3)
        line = inner.height() / 3
        control = step.experiment.tested
        values = ", ".join(plain(value) for value in control.values)
        before = step.experiment.baseline.get(control.name)
        change = values if before is None else f"{plain(before)} → {values}"
        done = self.tr("● measured") if step.bench else self.tr("○ not measured yet")
        note = f"  ✎ {step.note.splitlines()[0]}" if step.note.strip() else ""
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        for number, (text, font, colour) in enumerate(
            (
                (f"{step.id}  {control.name or step.experiment.name}", bold, theme.text),
                (change, self.font(), theme.text),
                (done + note, self._small_font(), theme.secondary),
            )
        ):
            painter.setFont(font)
            painter.setPen(colour)
            room = QRectF(inner.left(), inner.top() + number * line, inner.width(), line)
            elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, round(room.width()))
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, elided)

    def _step_at(self, position: QPointF) -> int | None:
        return next((place.step.id for place in self._places if self._box(place).contains(position)), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: choose the step."""
        step = self._step_at(event.position())
        if step is not None:
            self.chosen.emit(step)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt: open the step."""
        step = self._step_at(event.position())
        if step is not None:
            self.opened.emit(step)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: choose the next box by arrows, open it by Enter."""
        current = self.place_of(self._chosen)
        moves = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and current is not None:
            self.opened.emit(current.step.id)
        elif event.key() in moves and self._places:
            self.chosen.emit(self._towards(current, *moves[Qt.Key(event.key())]))
        else:
            super().keyPressEvent(event)

    def _towards(self, current: NodePosition | None, across: int, down: int) -> int:
        """Return the nearest step in a direction; the present one without any."""
        if current is None:
            return self._places[0].step.id
        ahead = [
            place
            for place in self._places
            if (place.column - current.column) * across > 0 or (place.row - current.row) * down > 0
        ]
        nearest = min(
            ahead,
            key=lambda p: (abs(p.column - current.column) + abs(p.row - current.row), p.row),
            default=current,
        )
        return nearest.step.id


def in_scroll_area(graph: SessionGraph) -> QScrollArea:
    """Return the graph in a scroll area."""
    area = QScrollArea()
    area.setWidget(graph)
    area.setWidgetResizable(True)
    area.setFrameShape(area.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area
