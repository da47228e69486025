"""The trial of a target and the check of this machine, each in its own process."""

from collections.abc import Callable, Sequence

import msgspec
from PySide6.QtCore import QObject, QProcess, Signal

from ui.conductor.conductor_client import WORKBENCH
from workbench.base import UNREADABLE, Message, own_module

PROBE = tuple(own_module("ui.conductor.probe"))
_PATIENCE_MS = 30_000
"""Time to stop a server; then its process is killed, and the next start ends what is left."""


class Trial(QObject):
    """Starts a target's server and stops it again; `told` gives its messages, `ended` follows at the end."""

    told = Signal(object)
    """A `TrialReport`, as printed by `ui.conductor.probe`."""
    ended = Signal()

    def __init__(self, parent: QObject, program: Sequence[str] = PROBE) -> None:
        super().__init__(parent)
        self._program = tuple(program)
        self._process: QProcess | None = None
        self._rest = b""

    @property
    def running(self) -> bool:
        """True while a trial runs."""
        return self._process is not None

    def start(self, toml: str) -> None:
        """Try the target of this experiment with its baseline."""
        if self._process is not None:
            return
        process = QProcess(self)
        head, *rest = self._program
        process.setProgram(head)
        process.setArguments(rest)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._finish)
        process.errorOccurred.connect(self._fail)
        self._process, self._rest = process, b""
        process.start()
        process.write(toml.encode() + b"\0")

    def stop(self) -> None:
        """Stop the server in order."""
        if self._process is not None:
            self._process.closeWriteChannel()

    def end(self) -> None:
        """Wait until the server is gone, or kill its process, when the window closes."""
        process = self._process
        if process is not None:
            process.closeWriteChannel()
            if not process.waitForFinished(_PATIENCE_MS):
                process.kill()

    # Methods, not closures: a closure's reference to this object would be released in the process's
    # destructor, and as the last reference it would delete its child a second time.

    def _read(self) -> None:
        if self._process is None:
            return
        from ui.conductor.trial_report import TrialReport  # noqa: PLC0415 - the core room loads with the first trial

        *lines, self._rest = (self._rest + bytes(self._process.readAllStandardOutput().data())).split(b"\n")
        for line in lines:
            try:
                self.told.emit(msgspec.json.decode(line, type=TrialReport))
            except UNREADABLE:
                continue

    def _fail(self, error: QProcess.ProcessError) -> None:
        if self._process is not None and error == QProcess.ProcessError.FailedToStart:
            from ui.conductor.trial_report import TrialReport  # noqa: PLC0415 - as above

            self.told.emit(TrialReport(error=self._process.errorString()))
            self._finish()

    def _finish(self) -> None:
        process = self._process
        if process is not None:
            # Its last output may not have been announced yet.
            self._read()
            self._process = None
            self.ended.emit()
            process.deleteLater()


class MachineFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One finding of `workbench doctor --json`."""

    area: str = ""
    level: str = "note"
    """fine, note or wrong."""
    text: str = ""
    fix: str | None = None
    message: Message | None = None
    """The text as data; None if it is text only."""
    fix_message: Message | None = None


class _Findings(msgspec.Struct, frozen=True):
    findings: list[MachineFinding]


class DoctorRun(QObject):
    """Runs `workbench doctor`: findings on this machine and the users of its GPUs."""

    def __init__(self, parent: QObject, program: Sequence[str] = WORKBENCH) -> None:
        super().__init__(parent)
        self._program = tuple(program)
        self._process: QProcess | None = None
        self._done: Callable[[list[MachineFinding]], object] = _nobody
        self._failed: Callable[[str], object] = _nobody

    @property
    def running(self) -> bool:
        """True while the check runs."""
        return self._process is not None

    def start(
        self, done: Callable[[list[MachineFinding]], object], failed: Callable[[str], object], *, clean: bool
    ) -> None:
        """Run the check, and with `clean` end servers of earlier runs; `done` gets the findings."""
        if self._process is not None:
            return
        process = QProcess(self)
        head, *rest = self._program
        process.setProgram(head)
        process.setArguments([*rest, "doctor", "--json", "-", *(["--clean"] if clean else [])])
        process.finished.connect(self._finish)
        process.errorOccurred.connect(self._fail)
        self._process, self._done, self._failed = process, done, failed
        process.start()

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._finish()

    def _finish(self) -> None:
        process, done, failed = self._process, self._done, self._failed
        if process is None:
            return
        self._process, self._done, self._failed = None, _nobody, _nobody
        try:
            found = msgspec.json.decode(bytes(process.readAllStandardOutput().data()), type=_Findings)
        except UNREADABLE:
            text = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
            failed(text.splitlines()[-1] if text else self.tr("The check ended without a result."))
        else:
            done(found.findings)
        process.deleteLater()


def _nobody(_told: object) -> None:
    """Ignore the result."""
