"""Messages without dialogs: a bar above the plots, one line for each message, the newest first."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui.announcing import announce
from ui.icons import icon
from ui.texts import Sayable, said
from ui.theme import Theme, blend

MOST_SHOWN = 3
PASSING_MS = 12_000
"""Time after which a passing note disappears."""
GLANCE_MS = 400
"""Shorter work needs no message, which would only move the plots."""


@dataclass(frozen=True)
class Remedy:
    """A button for a message, with its action."""

    text: str
    call: Callable[[], object]


class MessageBar(QWidget):
    """Shows up to three messages; a new message replaces the older one with the same `key`."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: dict[str, _Row] = {}
        self._awaited: dict[str, str] = {}
        """Delayed messages by key."""
        self._glance = QTimer(self)
        self._glance.setSingleShot(True)
        self._glance.setInterval(GLANCE_MS)
        self._glance.timeout.connect(self._show_delayed_messages)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(1)
        self.setAccessibleName(self.tr("Messages"))
        self.setVisible(False)

    def show_message(
        self,
        level: str,
        what: Sayable,
        *,
        key: str | None = None,
        remedies: tuple[Remedy, ...] = (),
        passing: bool = False,
    ) -> None:
        """Add a message (level info, warning or error) in the language of the window.

        A `passing` message disappears by itself, unless the pointer is on it.
        """
        key = key or str(what)
        text = said(what)
        self.dismiss(key)
        row = _Row(self._theme, level, text, remedies, lambda: self.dismiss(key))
        self._rows[key] = row
        self._layout.insertWidget(0, row)
        while len(self._rows) > MOST_SHOWN:
            self.dismiss(next(iter(self._rows)))
        self.setVisible(True)
        announce(self, text, urgent=level == "error")
        if passing:
            QTimer.singleShot(PASSING_MS, row, lambda: self._let_pass(key, row))

    def _let_pass(self, key: str, row: "_Row") -> None:
        """Remove a passing message once the pointer isn't on it."""
        if row.underMouse():
            QTimer.singleShot(PASSING_MS, row, lambda: self._let_pass(key, row))
        elif self._rows.get(key) is row:
            self.dismiss(key)

    def show_later(self, text: str, *, key: str) -> None:
        """Show a message after a short delay, unless `dismiss` or another message comes first."""
        self._awaited[key] = text
        self._glance.start()

    def _show_delayed_messages(self) -> None:
        for key, text in list(self._awaited.items()):
            self.show_message("info", text, key=key)

    def dismiss(self, key: str) -> None:
        """Remove a message."""
        self._awaited.pop(key, None)
        row = self._rows.pop(key, None)
        if row is not None:
            self._layout.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.setVisible(bool(self._rows))

    def texts(self) -> list[str]:
        """Return the shown messages, newest first."""
        return [row.text for row in reversed(self._rows.values())]


class _Row(QWidget):
    def __init__(
        self, theme: Theme, level: str, text: str, remedies: tuple[Remedy, ...], dismiss: Callable[[], None]
    ) -> None:
        super().__init__()
        self.text = text
        self._theme = theme
        self._level = level
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 4, 4, 4)
        self._symbol = QLabel()
        row.addWidget(self._symbol)
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        row.addWidget(label, 1)
        for remedy in remedies:
            row.addWidget(_remedy_button(remedy, dismiss))
        row.addWidget(
            self._tool("copy", self.tr("Copy the message"), lambda: QApplication.clipboard().setText(text))
        )
        row.addWidget(self._tool("close", self.tr("Dismiss the message"), dismiss))
        self.setAccessibleName(text)
        theme.changed.connect(self._tint)
        self._tint()

    def _tool(self, name: str, tip: str, call: Callable[[], object]) -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        button.setAutoRaise(True)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.clicked.connect(lambda _checked=False: call())
        return button

    def _colour(self) -> QColor:
        meaning = {"error": "fail", "warning": "warning"}.get(self._level)
        return self._theme.mark(meaning) if meaning else self._theme.secondary

    def _tint(self) -> None:
        name = self._level if self._level in {"error", "warning"} else "info"
        self._symbol.setPixmap(icon(name, self._colour()).pixmap(16, 16))
        for button in self.findChildren(QToolButton):
            button.setIcon(icon(button.objectName(), self._theme.text))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), blend(self._colour(), self._theme.background, 0.12))
        painter.fillRect(0, 0, 4, self.height(), self._colour())
        painter.end()


def _remedy_button(remedy: Remedy, dismiss: Callable[[], None]) -> QPushButton:
    button = QPushButton(remedy.text)

    def act() -> None:
        dismiss()
        remedy.call()

    button.clicked.connect(act)
    return button
