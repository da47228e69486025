"""A room: the content of a panel that hears what of the shown plan changed."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from ui.live import Changed, LiveState


class Panel(QWidget):
    """Overrides what it needs; the window calls these for every room in `ui.docks.DOCKS`."""

    def is_on_screen(self) -> bool:
        """Whether anything of it shows: Qt calls a panel behind another tab visible, and moves it away."""
        return self.isVisible() and not self.visibleRegion().isEmpty()

    def on_visible(self) -> None:
        """It came into sight: what was put off until then is due."""

    def notify_visible(self, _on: object = None) -> None:
        """Tell `on_visible` once the window stands still, if it is seen then."""
        QTimer.singleShot(0, self, lambda: self.on_visible() if self.is_on_screen() else None)

    def showEvent(self, _event: object) -> None:
        """Qt: it may be seen now."""
        self.notify_visible()

    def show_state(self, state: LiveState) -> None:
        """Another plan, or a bench file, is shown from now on (`state.read_only`, `state.bench`)."""

    def on_change(self, changed: Changed) -> None:
        """Something of the shown state changed; cheap, for it may come 30 times a second."""

    def tick(self) -> None:
        """One frame while something is live: draw what is dirty."""
