"""The side panel that says what is seen."""

from html import escape

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from ui.live import LiveState
from ui.start.narration import narrate

_HEADING = 1.1
TICKS_BETWEEN = 30
"""Sentences that changed more often could not be read."""


class GuidePanel(QScrollArea):
    """Heading and sentences, renewed about once a second."""

    def __init__(self) -> None:
        super().__init__()
        self._heading = QLabel()
        self._text = QLabel()
        self._state = LiveState()
        self._ticks = 0
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(10, 8, 10, 8)
        for label in (self._heading, self._text):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            column.addWidget(label)
        self._text.setTextFormat(Qt.TextFormat.RichText)
        column.addStretch(1)
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("What is happening"))
        self._size_heading()
        self.refresh()

    def _size_heading(self) -> None:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * _HEADING)
        font.setWeight(QFont.Weight.DemiBold)
        self._heading.setFont(font)

    def changeEvent(self, event: QEvent) -> None:
        """Qt: the heading keeps its proportion."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._size_heading()

    def set_state(self, state: LiveState) -> None:
        """Speak about another plan."""
        self._state = state
        self.refresh()

    def tick(self) -> None:
        """One frame."""
        self._ticks += 1
        if self._ticks >= TICKS_BETWEEN:
            self.refresh()

    def refresh(self) -> None:
        """Say it anew."""
        self._ticks = 0
        said = narrate(self._state)
        self._heading.setText(said.heading)
        self._text.setText("".join(f"<p>{escape(sentence)}</p>" for sentence in said.sentences))
