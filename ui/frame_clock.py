"""The one clock that everything moving is drawn by."""

from PySide6.QtCore import QObject, Qt, QTimer, Signal

FRAME_MS = 33


class FrameClock(QObject):
    """Ticks 30 times a second while somebody needs it; parts redraw only what is dirty."""

    tick = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self.tick)

    def start(self) -> None:
        """Begin to tick."""
        self._timer.start()

    def stop(self) -> None:
        """Rest: nothing moves."""
        self._timer.stop()

    @property
    def running(self) -> bool:
        """Whether it ticks."""
        return self._timer.isActive()
