"""One line on the next plan: runs, time, GPU-hours, money; the core's estimate follows."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLabel

from ui.conductor.background import Background
from ui.experiment.editor import Editor
from ui.experiment.estimate import Estimate, estimate
from ui.language import number_text
from ui.language.texts import Sayable, said
from workbench.base import WorkbenchError

NO_BREAK = "\N{NO-BREAK SPACE}"

_AFTER_MS = 500
"""Delay while typing, so that the trace is not read at each key."""


class PlanLabel(QLabel):
    """Shows the draft's own count at once, and the core's estimate later."""

    estimated = Signal(object)
    """An `Estimate`; None if the core refuses the plan."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self.editor = editor
        self._text = ""
        self._background = Background(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_AFTER_MS)
        self._timer.timeout.connect(self._begin)
        self.setWordWrap(True)

    def show_draft(self) -> None:
        """Show the draft's own count; start the core's estimate."""
        draft = self.editor.draft
        self.setToolTip("")
        if draft.kind == "reproduce":
            self.setText(self.tr("Next plan: that of the bench file"))
            return
        runs, expected, money = draft.runs(), draft.expected_s(), draft.money()
        parts = [self.tr("1 run") if runs == 1 else self.tr("{0} runs").format(runs)]
        if expected is not None:
            parts.append(self.tr("{0} plus restarts").format(number_text.span(expected)))
        if money is not None:
            parts.append(f"{number_text.significant(money)} {draft.cost_currency}")
        self._show(parts)
        self._background.forget()
        if not self.editor.problems and self.isVisible():
            self._timer.start()

    def showEvent(self, _event: object) -> None:
        """Qt: start the estimate once it is visible."""
        self._timer.start()

    def _show(self, parts: list[str]) -> None:
        # Keep a figure and its unit on one line.
        listed = ", ".join(part.replace(" ", NO_BREAK) for part in parts)
        self.setText(self.tr("Next plan: {0}").format(listed))

    def _begin(self) -> None:
        try:
            text = self.editor.text(self.editor.base)
        except WorkbenchError:
            return
        if self.editor.draft.kind == "reproduce":
            return
        where, base = self.editor.draft.name, self.editor.base
        self._background.run(lambda: estimate(text, where, base), self._show_estimate, self._say)

    def _say(self, error: Sayable) -> None:
        """Show why the core refuses the plan: an unreadable trace, an unknown class."""
        self.setText(f"⚠ {said(error)}")
        self.setToolTip(said(error))
        self.estimated.emit(None)

    def _show_estimate(self, found: Estimate) -> None:
        costs = found.costs
        parts = [
            self.tr("1 run") if costs.runs == 1 else self.tr("{0} runs").format(costs.runs),
            self.tr("about {0}").format(number_text.span(costs.wall_s)),
        ]
        if costs.gpu_hours:
            parts.append(self.tr("{0} GPU-hours").format(number_text.significant(costs.gpu_hours, 2)))
        if costs.money is not None:
            parts.append(f"{number_text.significant(costs.money)} {costs.currency}")
        self._show(parts)
        megabytes = number_text.significant(costs.disk_bytes / 1e6, 2)
        requests = number_text.count(costs.requests)
        if self.editor.draft.target_kind == "attached":
            tip = self.tr("{0} requests, {1} MB of results").format(requests, megabytes)
        else:
            tip = self.tr("{0} starts of the server, {1} requests, {2} MB of results").format(
                costs.restarts, requests, megabytes
            )
        self.setToolTip(tip)
        self.estimated.emit(found)
