"""The language of a window that is open: it changes at once, or as soon as nothing is being measured."""

from PySide6.QtCore import QObject, Signal

from ui.message_bar import Remedy
from ui.translation import chosen_language, current_language
from ui.window_parts import WindowParts

_KEY = "language"


class LanguageSwitch(QObject):
    """Follows the setting; `wanted` when a window in the other language is to take this one's place."""

    wanted = Signal()

    def __init__(self, window: WindowParts) -> None:
        super().__init__(window)
        self._window = window
        window.runs.ended.connect(self._offer)

    @property
    def due(self) -> bool:
        """Whether the setting says another language than the window speaks."""
        return chosen_language(self._window.settings.value.language) != current_language()

    def follow(self) -> None:
        """The setting may have changed."""
        messages = self._window.messages
        messages.dismiss(_KEY)
        if not self.due:
            return
        if self._window.busy:
            said = self.tr("The language changes once nothing is being carried out.")
            messages.show_message("info", said, key=_KEY, remedies=(self._now(),))
            return
        self.wanted.emit()

    def _offer(self, _ended: object) -> None:
        """The plan that was in the way has ended; the window is not taken from under the user's hands."""
        if self.due:
            said = self.tr("Nothing is being carried out any more: the language can change.")
            self._window.messages.show_message("info", said, key=_KEY, remedies=(self._now(),))

    def _now(self) -> Remedy:
        return Remedy(self.tr("Change it now"), self.follow)
