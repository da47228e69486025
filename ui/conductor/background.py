"""Work that takes longer than a frame: it runs in a thread, its result arrives in the window's thread."""

import atexit
import logging
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal

from ui.language.texts import Sayable
from workbench.base import WorkbenchError, message

_log = logging.getLogger(__name__)

_alive: "weakref.WeakSet[Background]" = weakref.WeakSet()


@atexit.register
def wait_for_all() -> None:
    """Wait until no work runs: an interpreter that ends under one of Qt's threads crashes."""
    for background in list(_alive):
        # Qt may have deleted it, after waiting for it.
        with suppress(RuntimeError):
            background.wait()


class Background(QObject):
    """Runs one function at a time for its owner; a new one discards the result of the one before."""

    _finished = Signal(int, object, object)
    """Number of the work, its result, its error (`Sayable`) or None."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._number = 0
        self._done: Callable[[Any], object] = lambda _result: None
        self._failed: Callable[[Sayable], object] = lambda _error: None
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        _alive.add(self)
        self._finished.connect(self._deliver)

    def run(
        self, work: Callable[[], Any], done: Callable[[Any], object], failed: Callable[[Sayable], object]
    ) -> None:
        """Start `work`; then call `done` with its result, or `failed` with the error."""
        self._number += 1
        self._done, self._failed = done, failed
        self._pool.start(_Task(self._number, work, self._finished.emit))

    @property
    def busy(self) -> bool:
        """True while its thread works."""
        return self._pool.activeThreadCount() > 0

    def forget(self) -> None:
        """Discard the result of the present work."""
        self._number += 1

    def wait(self) -> None:
        """Wait until nothing runs."""
        self._pool.waitForDone()

    def _deliver(self, number: int, result: object, error: Sayable | None) -> None:
        if number != self._number:
            return
        if error is None:
            self._done(result)
        else:
            self._failed(error)


class _Task(QRunnable):
    def __init__(
        self, number: int, work: Callable[[], Any], report: Callable[[int, object, object], None]
    ) -> None:
        super().__init__()
        self._number, self._work, self._report = number, work, report

    def run(self) -> None:
        try:
            result = self._work()
        except WorkbenchError as error:
            self._tell(None, error)
        except (OSError, ValueError, MemoryError) as error:
            self._tell(None, str(error) or type(error).__name__)
        except Exception as error:  # noqa: BLE001 — lost in the thread, it would leave the window waiting
            _log.exception("unexpected error in the background")
            self._tell(None, message("ui.unexpected_error", error=type(error).__name__, text=str(error)))
        else:
            self._tell(result, None)

    def _tell(self, result: object, error: Sayable | None) -> None:
        # The window, and the part of it that asked, may be gone by now.
        with suppress(RuntimeError):
            self._report(self._number, result, error)
