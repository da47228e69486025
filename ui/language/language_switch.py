"""The language of an open window: it changes at once, or once no plan runs."""

from PySide6.QtCore import QObject, Signal

from ui.language.translation import chosen_language, current_language
from ui.window.message_bar import Remedy
from ui.window.window_parts import WindowParts

_KEY = "language"


class LanguageSwitch(QObject):
    """Follows the setting; `wanted` when a window in the other language should replace this one."""

    wanted = Signal()

    def __init__(self, window: WindowParts) -> None:
        super().__init__(window)
        self._window = window
        window.runs.ended.connect(self._offer)

    @property
    def due(self) -> bool:
        """True if the setting's language differs from the window's."""
        return chosen_language(self._window.settings.value.language) != current_language()

    def follow(self) -> None:
        """Apply the setting."""
        messages = self._window.messages
        messages.dismiss(_KEY)
        if not self.due:
            return
        if self._window.busy:
            said = self.tr("The language changes once the plan has ended.")
            messages.show_message("info", said, key=_KEY, remedies=(self._now(),))
            return
        self.wanted.emit()

    def _offer(self, _ended: object) -> None:
        """Offer the change after the plan has ended, instead of replacing the window unasked."""
        if self.due:
            said = self.tr("The plan has ended: the language can change now.")
            self._window.messages.show_message("info", said, key=_KEY, remedies=(self._now(),))

    def _now(self) -> Remedy:
        return Remedy(self.tr("Change it now"), self.follow)
