"""Exports by the command line, as a process: pandas and the file never touch the window's thread."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QProcess

from ui.conductor_client import WORKBENCH


class CsvExport(QObject):
    """One export of a bench file's scorecard."""

    def __init__(self, parent: QObject, program: Sequence[str] = WORKBENCH) -> None:
        super().__init__(parent)
        self._program = tuple(program)

    def start(
        self, bench: Path, target: Path, done: Callable[[Path], object], failed: Callable[[str], object]
    ) -> None:
        """Write `target`; then `done` with it, or `failed` with a sentence."""
        process = QProcess(self)
        head, *rest = self._program
        process.setProgram(head)
        process.setArguments([*rest, "export", str(bench), "--csv", str(target)])

        def finish(code: int, _status: QProcess.ExitStatus) -> None:
            if code == 0:
                done(target)
            else:
                failed(_last_line(process) or f"the export ended with exit code {code}")
            process.deleteLater()

        process.finished.connect(finish)
        process.errorOccurred.connect(
            lambda error: error == QProcess.ProcessError.FailedToStart and failed(process.errorString())
        )
        process.start()


def _last_line(process: QProcess) -> str:
    text = bytes(process.readAllStandardError().data()).decode(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else ""
