"""Exports by the command line, as a process: pandas and the file never touch the window's thread."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QProcess

from ui.conductor_client import WORKBENCH

FLAGS = {".csv": "--csv", ".xlsx": "--xlsx", ".html": "--html", ".json": "--json", ".zip": "--pack"}
"""What is written, by the file's ending: table, workbook, report, figures, pack of evidence."""


class Export(QObject):
    """One export of a bench file."""

    def __init__(self, parent: QObject, program: Sequence[str] = WORKBENCH) -> None:
        super().__init__(parent)
        self._program = tuple(program)

    def start(
        self, bench: Path, target: Path, done: Callable[[Path], object], failed: Callable[[str], object]
    ) -> None:
        """Write `target`, by its ending; then `done` with it, or `failed` with a sentence."""
        flag = FLAGS.get(target.suffix.lower())
        if flag is None:
            failed(self.tr("{0}: choose one of {1}").format(target.name, ", ".join(FLAGS)))
            return
        process = QProcess(self)
        head, *rest = self._program
        process.setProgram(head)
        process.setArguments([*rest, "export", str(bench), flag, str(target)])

        def finish(code: int, _status: QProcess.ExitStatus) -> None:
            if code == 0:
                done(target)
            else:
                failed(_last_line(process) or self.tr("the export ended with exit code {0}").format(code))
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
