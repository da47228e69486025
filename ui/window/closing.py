"""Closing the window: asks what to do with a running plan."""

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from ui.conductor.run_controller import RunController
from ui.files.documents import Documents
from ui.window.dialogs import Question

STOP_WITHIN_MS = 15_000
"""A conductor that has not stopped by then is terminated; its results are kept."""


class Closing(QObject):
    """Decides when the window may close; `released` once it may."""

    released = Signal()

    def __init__(self, window: QWidget, documents: Documents, runs: RunController) -> None:
        super().__init__(window)
        self._window, self._documents, self._runs = window, documents, runs
        self.may_close = False
        self._waiting = False
        self._deadline = QTimer(self)
        self._deadline.setSingleShot(True)
        self._deadline.timeout.connect(lambda: runs.client.end())  # noqa: PLW0108 - the client may change
        runs.ended.connect(self._on_end)

    def ask(self) -> None:
        """Ask about unsaved changes and a running plan, then release."""
        if self._waiting:
            return
        self._documents.unless_unsaved(self._ask_about_run)

    def _ask_about_run(self) -> None:
        if not self._runs.running:
            self._release()
            return
        question = Question(
            self._window,
            self.tr("A plan is running."),
            self.tr(
                "It can continue without the window; its results are in\n"
                "{0}\n"
                "Stopping keeps the results so far and stops the server that the plan started."
            ).format(self._runs.state.bench),
        )
        question.add("leave", self.tr("Leave it running"), QMessageBox.ButtonRole.AcceptRole, self._leave)
        question.add("stop", self.tr("Stop it and close"), QMessageBox.ButtonRole.DestructiveRole, self._stop)
        question.add(
            "cancel", self.tr("Keep the window"), QMessageBox.ButtonRole.RejectRole, _nothing, safe=True
        )
        question.open()

    def _leave(self) -> None:
        self._runs.client.leave_running()
        self._release()

    def _stop(self) -> None:
        if not self._runs.running:
            self._release()
            return
        self._waiting = True
        self._runs.stop()
        self._deadline.start(STOP_WITHIN_MS)

    def _on_end(self, _ended: object) -> None:
        if self._waiting:
            self._release()

    def _release(self) -> None:
        self._waiting = False
        self._deadline.stop()
        self.may_close = True
        self.released.emit()


def _nothing() -> None:
    """Keep the window open."""
