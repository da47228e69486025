"""The dialog of the five questions, with a button for each missing experiment."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ui.conductor.background import Background
from ui.language.remarks import remark
from ui.language.texts import Sayable, said
from ui.look.theme import Theme
from ui.questions.answers import Answered, answers_of

_MOST_OF_WINDOW = 0.9
_MARKS = {"yes": ("✓", "pass"), "no": ("✗", "fail")}
_RUNS_SHOWN = 3


class QuestionsDialog(QDialog):
    """Answers from a bench file whether a configuration can go live."""

    plan_wanted = Signal(object)
    """A draft of the experiment that answers a question."""
    compare_wanted = Signal()

    def __init__(self, parent: QWidget, theme: Theme, bench: Path) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Before going live"))
        self._theme = theme
        self._background = Background(self)
        self.said = QLabel(self.tr("Reading {0} …").format(bench.name))
        self.said.setWordWrap(True)
        self.rows: list[QuestionRow] = []
        self._list = QVBoxLayout()
        self.close_ = QPushButton(self.tr("Close"))
        self.close_.clicked.connect(self.reject)
        self._lay_out()
        self._background.run(partial(answers_of, bench), self._show, self._complain)

    def _lay_out(self) -> None:
        inner = QWidget()
        inner.setLayout(self._list)
        self._list.addStretch(1)
        area = QScrollArea()
        area.setWidget(inner)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setAccessibleName(self.tr("Questions and answers"))
        bottom = QHBoxLayout()
        bottom.addStretch(1)
        bottom.addWidget(self.close_)
        layout = QVBoxLayout(self)
        layout.addWidget(self.said)
        layout.addWidget(area, 1)
        layout.addLayout(bottom)
        em, parent = self.fontMetrics().height(), self.parentWidget()
        wanted = QSize(46 * em, 34 * em)
        self.resize(wanted.boundedTo(parent.window().size() * _MOST_OF_WINDOW) if parent else wanted)

    def _show(self, answers: Sequence[Answered]) -> None:
        open_ones = sum(answer.verdict == "not measured yet" for answer in answers)
        self.said.setText(
            self.tr("All five questions are answered by these results.")
            if not open_ones
            else self.tr("Not measured yet: {0} of {1} questions.").format(open_ones, len(answers))
        )
        for answer in answers:
            row = QuestionRow(self._theme, answer)
            row.wanted.connect(self._ask)
            self._list.insertWidget(self._list.count() - 1, row)
            self.rows.append(row)

    def _ask(self, answer: Answered) -> None:
        """Emit the chosen experiment or comparison, and close."""
        if answer.draft is None:
            self.compare_wanted.emit()
        else:
            self.plan_wanted.emit(answer.draft)
        self.accept()

    def _complain(self, error: Sayable) -> None:
        self.said.setText(f"⚠ {remark(error)}")


class QuestionRow(QFrame):
    """One question: its answer, the reason, the runs behind it, and the missing experiment."""

    wanted = Signal(object)
    """The answer whose experiment or comparison is wanted."""

    def __init__(self, theme: Theme, answer: Answered) -> None:
        super().__init__()
        self._theme, self._answer = theme, answer
        self.verdict = QLabel()
        self.question = _words(said(answer.question))
        font = self.question.font()
        font.setBold(True)
        self.question.setFont(font)
        self.why = _words(said(answer.why))
        self.runs = _words(self._runs_words())
        self.runs.setVisible(bool(answer.runs))
        self.plan = QPushButton(self.tr("Compare systems…") if answer.name == "cost" else self.tr("Plan it"))
        self.plan.setAutoDefault(False)
        self.plan.setVisible(answer.draft is not None or _by_comparison(answer))
        self.plan.setAccessibleName(f"{self.plan.text()}: {self.question.text()}")
        self.plan.setToolTip(self._tip())
        self.plan.clicked.connect(self._want)
        self._lay_out()
        self._colour()
        theme.changed.connect(self._colour)

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 4, 8, 8)
        grid.addWidget(self.verdict, 0, 0, Qt.AlignmentFlag.AlignTop)
        for line, label in enumerate((self.question, self.why, self.runs)):
            grid.addWidget(label, line, 1)
        grid.addWidget(self.plan, 0, 2, 3, 1, Qt.AlignmentFlag.AlignTop)
        grid.setColumnMinimumWidth(0, 9 * self.fontMetrics().height())
        grid.setColumnStretch(1, 1)

    def _want(self) -> None:
        self.wanted.emit(self._answer)

    def _runs_words(self) -> str:
        shown = ", ".join(self._answer.runs[:_RUNS_SHOWN])
        more = len(self._answer.runs) - _RUNS_SHOWN
        return self.tr("{0} and {1} more").format(shown, more) if more > 0 else shown

    def _tip(self) -> str:
        if self._answer.name == "cost":
            return self.tr("Bench files of several systems, your offers, the demand to serve")
        return self.tr("Put the experiment that answers it into the form, without running it")

    def _colour(self) -> None:
        mark, meaning = _MARKS.get(self._answer.verdict, ("–", ""))
        names = {"yes": self.tr("yes"), "no": self.tr("no")}
        words = names.get(self._answer.verdict, self.tr("not measured yet"))
        self.verdict.setText(f"{mark} {words}")
        ink = self._theme.ink(meaning) if meaning else self._theme.secondary
        self.verdict.setStyleSheet(f"color: {ink.name()}")
        self.runs.setStyleSheet(f"color: {self._theme.secondary.name()}")


def _by_comparison(answer: Answered) -> bool:
    """Return True if a comparison of systems would answer it."""
    return answer.name == "cost" and answer.verdict == "not measured yet"


def _words(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
