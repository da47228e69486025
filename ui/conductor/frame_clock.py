"""The clock for everything that moves."""

from PySide6.QtCore import QObject, Qt, QTimer, Signal

FRAME_MS = 33


class FrameClock(QObject):
    """Ticks 30 times a second while needed; widgets redraw only what changed."""

    tick = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self.tick)

    def start(self) -> None:
        """Start to tick."""
        self._timer.start()

    def stop(self) -> None:
        """Stop ticking."""
        self._timer.stop()

    @property
    def running(self) -> bool:
        """True while it ticks."""
        return self._timer.isActive()
