"""The bar under the toolbar: the answer, the next experiment, and one action that runs it."""

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from ui.language import number_text
from ui.live import LiveState
from ui.look import tokens
from ui.look.theme import Theme, blend
from ui.scorecard.model import ScorecardModel
from ui.scorecard.verdict import Tone
from ui.verdict.plan_verdict import PlanVerdict, plan_verdict

_INKS: dict[Tone, str] = {"good": "pass", "bad": "fail", "warning": "warning"}
_TINT = 0.10
_MARK_PX = 4


class VerdictBar(QWidget):
    """`run_wanted` and `edit_wanted` with the run and its next change.

    Height, buttons and their places are the same in every state; a button without meaning is disabled.
    """

    run_wanted = Signal(object, object)
    edit_wanted = Signal(object, object)

    def __init__(self, theme: Theme, scorecard: ScorecardModel) -> None:
        super().__init__()
        self._theme, self._scorecard = theme, scorecard
        self._state, self._idle = LiveState(), True
        self.verdict = PlanVerdict("")
        self._line = _Line(theme)
        self.run = QPushButton(self.tr("Run this next"))
        self.edit = QPushButton(self.tr("Edit first"))
        self.run.setObjectName("run_next")
        self.edit.setObjectName("edit_next")
        self._lay_out()
        self.run.clicked.connect(
            lambda _on=False: self.run_wanted.emit(self.verdict.run, self.verdict.change)
        )
        self.edit.clicked.connect(
            lambda _on=False: self.edit_wanted.emit(self.verdict.run, self.verdict.change)
        )
        theme.changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(tokens.MARGIN, 2, tokens.GAP, 2)
        row.setSpacing(tokens.GAP)
        row.addWidget(self._line, 1)
        row.addWidget(self.run)
        row.addWidget(self.edit)
        self.setFixedHeight(self.run.sizeHint().height() + 4)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Verdict"))

    def show_state(self, state: LiveState) -> None:
        """Show the answer of another plan."""
        self._state = state
        self.refresh()

    def set_idle(self, *, idle: bool) -> None:
        """Offer the next change only while nothing runs, as the start is offered."""
        if idle != self._idle:
            self._idle = idle
            self.refresh()

    def refresh(self) -> None:
        """Show the present answer; while a plan runs, what happens now and the time left."""
        self.verdict = plan_verdict(self._state, self._scorecard)
        left = self._state.plan_left_s
        at_the_end = self.tr("{0} left").format(number_text.clock(left)) if left is not None else ""
        next_ = self.tr("Next: {0}").format(self.verdict.next) if self.verdict.next else at_the_end
        self._line.show_parts(self.verdict.said, next_, self._ink())
        able = self.verdict.change is not None and self._idle and not self._state.live
        change = self.verdict.next or self.tr("No single change of a control is known to help.")
        for button in (self.run, self.edit):
            button.setEnabled(able)
            button.setToolTip(change)
        self.update()

    def text(self) -> str:
        """Return everything that the bar says."""
        return self._line.accessibleName()

    def _ink(self) -> QColor:
        name = _INKS.get(self.verdict.tone)
        return self._theme.ink(name) if name else self._theme.text

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the background in the verdict's color."""
        painter = QPainter(self)
        name = _INKS.get(self.verdict.tone)
        window = self.palette().color(self.palette().ColorRole.Window)
        if name:
            mark = self._theme.mark(name)
            painter.fillRect(self.rect(), blend(mark, window, _TINT))
            painter.fillRect(0, 0, _MARK_PX, self.height(), mark)
        painter.end()


class _Line(QWidget):
    """The verdict in bold and what follows it; without room the verdict is elided, never the next change."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._parts = ("", "")
        self._ink = theme.text
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)

    def show_parts(self, verdict: str, after: str, ink: QColor) -> None:
        if (verdict, after) != self._parts or ink != self._ink:
            self._parts, self._ink = (verdict, after), ink
            self.setAccessibleName("  ".join(part for part in self._parts if part))
            self.setToolTip("\n".join(part for part in self._parts if part))
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self.fontMetrics().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        verdict, after = self._parts
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        right = self.width()
        if after:
            metrics = QFontMetrics(self.font())
            shown = metrics.elidedText(after, Qt.TextElideMode.ElideRight, right * 3 // 5)
            width = metrics.horizontalAdvance(shown)
            painter.setPen(self.palette().color(self.foregroundRole()))
            self._draw(painter, shown, QRect(right - width, 0, width + 1, self.height()))
            right -= width + 2 * tokens.GAP
        painter.setFont(bold)
        painter.setPen(self._ink)
        shown = QFontMetrics(bold).elidedText(verdict, Qt.TextElideMode.ElideRight, max(0, right))
        self._draw(painter, shown, QRect(0, 0, max(0, right), self.height()))
        painter.end()

    @staticmethod
    def _draw(painter: QPainter, text: str, place: QRect) -> None:
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
