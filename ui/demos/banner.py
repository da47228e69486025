"""A demo's banner above the plots: the question, the present lines, one button for the next step."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ui.demos.player import DemoPlayer, speed_text
from ui.demos.story import ANSWER, PLAYING, QUESTION, SAID
from ui.look.theme import Theme

_QUESTION = 1.35
_LINES = 1.1


class DemoBanner(QWidget):
    """Shown during a demo."""

    next_wanted = Signal()
    slower_wanted = Signal()
    faster_wanted = Signal()
    end_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.question = QLabel()
        self.lines = QLabel()
        self.where = QLabel()
        self.next = QPushButton()
        self.slower = QPushButton("−")
        self.faster = QPushButton("+")
        self.end = QPushButton(self.tr("End"))
        self._lay_out()
        self._size_fonts()
        for button, signal in (
            (self.next, self.next_wanted),
            (self.slower, self.slower_wanted),
            (self.faster, self.faster_wanted),
            (self.end, self.end_wanted),
        ):
            button.clicked.connect(signal)
        self.setVisible(False)

    def _lay_out(self) -> None:
        for label in (self.question, self.lines):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.slower.setAccessibleName(self.tr("Slower"))
        self.faster.setAccessibleName(self.tr("Faster"))
        square = self.slower.sizeHint().height()
        for button in (self.slower, self.faster):
            button.setFixedWidth(square)
            button.setToolTip(button.accessibleName())
        self.next.setDefault(True)
        row = QHBoxLayout()
        row.setSpacing(6)
        for widget in (self.next, self.slower, self.where, self.faster):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.end)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        column.addWidget(self.question)
        column.addWidget(self.lines)
        column.addLayout(row)
        self.setAccessibleName(self.tr("Demo"))

    def _size_fonts(self) -> None:
        for label, factor, weight in (
            (self.question, _QUESTION, QFont.Weight.DemiBold),
            (self.lines, _LINES, QFont.Weight.Normal),
        ):
            font = QFont(self.font())
            font.setPointSizeF(font.pointSizeF() * factor)
            font.setWeight(weight)
            label.setFont(font)

    def changeEvent(self, event: QEvent) -> None:
        """Qt: scale the question with the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "end"):
            self._size_fonts()

    def show_player(self, player: DemoPlayer) -> None:
        """Show the present step of the demo."""
        story = player.story
        self.setVisible(story is not None)
        if story is None:
            return
        self.question.setText(story.told.question)
        self.lines.setText("\n".join(story.lines()))
        # At the answer the first button also ends the demo.
        self.end.setVisible(story.stage != ANSWER)
        last = story.at == len(story.told.variants) - 1
        self.next.setText(
            {
                QUESTION: self.tr("Show it (Space)"),
                PLAYING: self.tr("Skip to its end (Space)"),
                SAID: self.tr("What it means (Space)") if last else self.tr("Next (Space)"),
                ANSWER: self.tr("End (Space)"),
            }[story.stage]
        )
        self.where.setText(self.tr("{0} × real time").format(speed_text(player.speed)))
