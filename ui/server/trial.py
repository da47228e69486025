"""The trial of a target and the look around this machine, each in a process of its own."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, QProcess, Signal

from ui.conductor_client import WORKBENCH

PROBE = (WORKBENCH[0], "-m", "ui.probe")
_PATIENCE_MS = 30_000
"""For a server that has to be stopped; then its process is killed, and the next start ends what is left."""


class Trial(QObject):
    """Starts a target's server and stops it again: `told` gives what it says, `ended` when it is over."""

    told = Signal(dict)
    """`{"state": …}`, `{"log": …}`, `{"effective": …}` or `{"error": …}`, as `ui.probe` prints them."""
    ended = Signal()

    def __init__(self, parent: QObject, program: Sequence[str] = PROBE) -> None:
        super().__init__(parent)
        self._program = tuple(program)
        self._process: QProcess | None = None
        self._rest = b""

    @property
    def running(self) -> bool:
        """Whether a trial is under way."""
        return self._process is not None

    def start(self, toml: str) -> None:
        """Try out the target of this experiment, with its baseline."""
        if self._process is not None:
            return
        process = QProcess(self)
        head, *rest = self._program
        process.setProgram(head)
        process.setArguments(rest)
        process.readyReadStandardOutput.connect(lambda: self._read(process))
        process.finished.connect(lambda *_: self._finish(process))
        process.errorOccurred.connect(lambda error: self._fail(process, error))
        self._process, self._rest = process, b""
        process.start()
        process.write(toml.encode() + b"\0")

    def stop(self) -> None:
        """Have had enough: the server is stopped in order."""
        if self._process is not None:
            self._process.closeWriteChannel()

    def end(self) -> None:
        """The window goes: wait until the server is gone, or end its process."""
        process = self._process
        if process is not None:
            process.closeWriteChannel()
            if not process.waitForFinished(_PATIENCE_MS):
                process.kill()

    def _read(self, process: QProcess) -> None:
        *lines, self._rest = (self._rest + bytes(process.readAllStandardOutput().data())).split(b"\n")
        for line in lines:
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if isinstance(said, dict):
                self.told.emit(said)

    def _fail(self, process: QProcess, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self.told.emit({"error": process.errorString()})
            self._finish(process)

    def _finish(self, process: QProcess) -> None:
        if self._process is process:
            # Its last words may not have been announced yet.
            self._read(process)
            self._process = None
            self.ended.emit()
        process.deleteLater()


class Examination(QObject):
    """`workbench doctor`: what this machine has and lacks, and who uses its GPUs."""

    def __init__(self, parent: QObject, program: Sequence[str] = WORKBENCH) -> None:
        super().__init__(parent)
        self._program = tuple(program)
        self.running = False

    def start(
        self, done: Callable[[list[dict[str, Any]]], object], failed: Callable[[str], object], *, clean: bool
    ) -> None:
        """Look, and with `clean` end servers that earlier runs left behind; `done` gets the findings."""
        if self.running:
            return
        self.running = True
        process = QProcess(self)
        head, *rest = self._program
        process.setProgram(head)
        process.setArguments([*rest, "doctor", "--json", "-", *(["--clean"] if clean else [])])

        def finish(*_: object) -> None:
            self.running = False
            try:
                findings = json.loads(bytes(process.readAllStandardOutput().data()))["findings"]
            except (ValueError, KeyError, TypeError):
                text = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
                failed(text.splitlines()[-1] if text else self.tr("The look around ended without a word."))
            else:
                done(findings)
            process.deleteLater()

        process.finished.connect(finish)
        process.errorOccurred.connect(
            lambda error: finish() if error == QProcess.ProcessError.FailedToStart else None
        )
        process.start()
