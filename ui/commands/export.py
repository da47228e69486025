"""Exports by the command line in a process, off the window's thread."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QProcess

from ui.conductor.conductor_client import WORKBENCH

FLAGS = {".csv": "--csv", ".xlsx": "--xlsx", ".html": "--html", ".json": "--json", ".zip": "--pack"}
"""Export options by the file's extension: table, workbook, report, figures, pack of evidence."""


class Export(QObject):
    """Exports of bench files; several may run at once."""

    def __init__(self, parent: QObject, program: Sequence[str] = WORKBENCH) -> None:
        super().__init__(parent)
        self._program = tuple(program)

    def start(
        self, bench: Path, target: Path, done: Callable[[Path], object], failed: Callable[[str], object]
    ) -> None:
        """Write `target` by its extension; then call `done` with it, or `failed` with a sentence."""
        flag = FLAGS.get(target.suffix.lower())
        if flag is None:
            failed(self.tr("{0}: choose one of {1}").format(target.name, ", ".join(FLAGS)))
            return
        head, *rest = self._program
        process = _Process(self, target, done, failed)
        process.setProgram(head)
        process.setArguments([*rest, "export", str(bench), flag, str(target)])
        process.start()


class _Process(QProcess):
    """One export. It holds its callbacks itself, so its end releases no other (see `ui.server.trial`)."""

    def __init__(
        self, parent: QObject, target: Path, done: Callable[[Path], object], failed: Callable[[str], object]
    ) -> None:
        super().__init__(parent)
        self._target, self._done, self._failed = target, done, failed
        self.finished.connect(self._finish)
        self.errorOccurred.connect(self._fail)

    def _finish(self, code: int, _status: QProcess.ExitStatus) -> None:
        if code == 0:
            self._done(self._target)
        else:
            ended = self.tr("the export ended with exit code {0}").format(code)
            self._failed(_last_line(self) or ended)
        self.deleteLater()

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._failed(self.errorString())
            self.deleteLater()


def _last_line(process: QProcess) -> str:
    text = bytes(process.readAllStandardError().data()).decode(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else ""
