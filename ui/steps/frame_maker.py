"""Makes frames in a worker thread: the newest wish only, and one of the whole record for a start."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from ui.conductor.background import Background
from ui.steps.frame import Frame, FrameJob


class ShownFrame:
    """A frame as images."""

    def __init__(self, frame: Frame) -> None:
        self.window, self.reasons = frame.window, frame.reasons
        self.data, self.overview = frame.data, frame.overview
        pictures = frame.pictures
        # The images use the arrays' memory.
        self._pictures = pictures
        self.images = {
            band: QImage(
                picture.data,
                picture.shape[1],
                picture.shape[0],
                4 * picture.shape[1],
                QImage.Format.Format_RGB32,
            )
            for band, picture in pictures.items()
        }


class FrameMaker(QObject):
    """`made` with each new `ShownFrame`; a wish during the work replaces the one before."""

    made = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._background = Background(self)
        self._wish: FrameJob | None = None
        self._working = False

    def want(self, job: FrameJob) -> None:
        """Make this frame as soon as the one before is ready."""
        self._wish = job
        self._start()

    def forget(self) -> None:
        """Discard what is being made."""
        self._background.forget()
        self._wish, self._working = None, False

    @property
    def busy(self) -> bool:
        """True while a frame is being made."""
        return self._working

    def _start(self) -> None:
        if self._working or self._wish is None:
            return
        job, self._wish = self._wish, None
        self._working = True
        self._background.run(_making(job), self._finish, lambda _error: self._finish(None))

    def _finish(self, frame: ShownFrame | None) -> None:
        self._working = False
        if frame is not None:
            self.made.emit(frame)
        self._start()


def _making(job: FrameJob) -> Callable[[], ShownFrame]:
    def make() -> ShownFrame:
        return ShownFrame(job.render())

    return make
