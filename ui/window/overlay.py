"""A run of another bench file behind the plots, to compare with last week or another card."""

from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QInputDialog

from ui.conductor.background import Background
from ui.files.documents import first_folder
from ui.language.texts import Sayable
from ui.live import LiveState, RunView
from ui.window.dialogs import ask_open
from ui.window.window_parts import WindowParts


class Overlay(QObject):
    """Asks for the file and, if it holds several, for the run; reads both in a thread."""

    def __init__(self, window: WindowParts) -> None:
        super().__init__(window)
        self._window = window
        self._background = Background(self)

    def choose(self) -> None:
        """Let the user choose an earlier run to draw in grey."""
        kinds = self.tr("Bench files (*.bench);;All files (*)")
        folder = self._window.settings.value.last_folder or first_folder(self._window.runs.results)
        ask_open(self._window, self.tr("Earlier run behind the plots"), folder, kinds, self.use_file)

    def use_file(self, path: Path) -> None:
        """Draw a run of this file, after asking which if it holds several."""
        self._background.run(lambda: _runs_of(path), lambda state: self._ask(path, state), self._complain)

    def clear(self) -> None:
        """Draw the baseline again."""
        self._show(None)

    def _ask(self, path: Path, state: LiveState) -> None:
        names = [run.name for run in state.runs.values() if run.row]
        if not names:
            self._complain(self.tr("{0} holds no finished run.").format(path.name))
        elif len(names) == 1:
            self._read(path, state.runs[names[0]])
        else:
            self._ask_which(path, state, names)

    def _ask_which(self, path: Path, state: LiveState, names: list[str]) -> None:
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self.tr("Earlier run behind the plots"))
        dialog.setLabelText(self.tr("Which run of {0}?").format(path.name))
        dialog.setComboBoxItems(names)
        shown = self._window.plots.shown_run
        if shown is not None and shown.name in names:
            dialog.setTextValue(shown.name)
        dialog.textValueSelected.connect(lambda name: self._read(path, state.runs[name]))
        dialog.open()

    def _read(self, path: Path, run: RunView) -> None:
        def show(_none: object) -> None:
            run.name = f"{run.name} ({path.stem})"
            self._show(run)

        self._background.run(lambda: _fill(path, run), show, self._complain)

    def _show(self, run: RunView | None) -> None:
        self._window.messages.dismiss("overlay")
        self._window.plots.set_behind(run)
        self._window.clock.start()

    def _complain(self, error: Sayable) -> None:
        self._window.messages.show_message("error", error, key="overlay")


def _runs_of(path: Path) -> LiveState:
    from ui.files.bench_reader import read_bench  # noqa: PLC0415 - in the thread, where loading stops nobody

    return read_bench(path)


def _fill(path: Path, run: RunView) -> None:
    from ui.files.bench_reader import fill_series  # noqa: PLC0415 - as above

    fill_series(path, [run])
