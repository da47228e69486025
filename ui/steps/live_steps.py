"""Follows the step record of the run that is measured."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from ui.conductor.background import Background
from ui.language.texts import Sayable

if TYPE_CHECKING:
    from ui.steps.live_reading import LiveReader
    from ui.steps.stage_data import StageData
    from workbench.experiments import StepsRecorded

PAUSE_S = 0.5
"""Least time between two reads."""
_REST = 2.0
"""Wait this many times as long as the last read took."""


class LiveSteps(QObject):
    """Reads a growing record now and then, and emits what the stage draws."""

    read = Signal(object)
    """A list of `StageData`, one for each engine."""
    failed = Signal(object)
    """The error (`Sayable`); reading has ended."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._background = Background(self)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._read)
        self._reader: LiveReader | None = None
        self._recorded: StepsRecorded | None = None
        self._seen: Callable[[], bool] = lambda: True
        self._begun = 0.0

    @property
    def active(self) -> bool:
        """True while a record is followed."""
        return self._recorded is not None

    def begin(self, recorded: "StepsRecorded", seen: Callable[[], bool]) -> None:
        """Follow a run's records, whenever `seen` is true."""
        self._recorded, self._reader, self._seen = recorded, None, seen
        self._read()

    def end(self) -> None:
        """Stop following."""
        self._timer.stop()
        self._background.forget()
        self._recorded = self._reader = None

    def _read(self) -> None:
        if not self._seen():
            self._wait(PAUSE_S)
            return
        self._begun = time.perf_counter()
        recorded, reader = self._recorded, self._reader
        assert recorded is not None
        self._background.run(lambda: _read(recorded, reader), self._deliver, self._fail)

    def _deliver(self, result: "tuple[LiveReader, list[StageData] | None]") -> None:
        self._reader, stages = result
        self._wait(max(PAUSE_S, _REST * (time.perf_counter() - self._begun)))
        if stages:
            self.read.emit(stages)

    def _wait(self, seconds: float) -> None:
        self._timer.start(round(seconds * 1000))

    def _fail(self, error: Sayable) -> None:
        self.end()
        self.failed.emit(error)


def _read(
    recorded: "StepsRecorded", reader: "LiveReader | None"
) -> "tuple[LiveReader, list[StageData] | None]":
    """Read in the background's thread, where loading the core blocks nothing."""
    from ui.steps.live_reading import LiveReader  # noqa: PLC0415 - as said

    reader = reader or LiveReader(recorded)
    return reader, reader.read()
