"""A panel: the content of a dock, notified of changes of the shown plan."""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from ui.live import Changed, LiveState


class Panel(QWidget):
    """Base of all panels; the window calls these methods for every panel in `ui.window.docks.DOCKS`."""

    def is_on_screen(self) -> bool:
        """Return True if any part shows. Qt calls a panel behind another tab visible and moves it away."""
        return self.isVisible() and not self.visibleRegion().isEmpty()

    def on_visible(self) -> None:
        """Do the work that was postponed until the panel is visible."""

    def notify_visible(self, _on: object = None) -> None:
        """Call `on_visible` in the next turn of the event loop, if the panel is visible then."""
        QTimer.singleShot(0, self, lambda: self.on_visible() if self.is_on_screen() else None)

    def showEvent(self, _event: object) -> None:
        """Qt: the panel may be visible now."""
        self.notify_visible()

    def show_state(self, state: LiveState) -> None:
        """Show another plan or a bench file (`state.read_only`, `state.bench`)."""

    def on_change(self, changed: Changed) -> None:
        """React to a change of the shown state; called up to 30 times a second."""

    def tick(self) -> None:
        """Draw one frame while a plan runs."""
