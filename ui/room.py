"""A room: the content of a panel that hears what of the shown plan changed."""

from PySide6.QtWidgets import QWidget

from ui.live import Changed, LiveState


class Room(QWidget):
    """Overrides what it needs; the window calls these for every room in `ui.docks.DOCKS`."""

    def show_state(self, state: LiveState) -> None:
        """Another plan, or a bench file, is shown from now on (`state.read_only`, `state.bench`)."""

    def take_change(self, changed: Changed) -> None:
        """Something of the shown state changed; cheap, for it may come 30 times a second."""

    def tick(self) -> None:
        """One frame while something is live: draw what is dirty."""
