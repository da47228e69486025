"""Messages without dialogs: one line under the verdict, one message at a time, the newest first."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWhatsThis,
    QWidget,
)

from ui.language.texts import Sayable, said
from ui.look import tokens
from ui.look.announcing import announce
from ui.look.elided_label import ElidedLabel
from ui.look.icons import icon
from ui.look.theme import Theme, blend

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
    """One line for one message at a time, the newest first; a new message replaces one of the same `key`.

    The line keeps its place without a message, so that nothing below it moves.
    """

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
        self._layout.setSpacing(0)
        self.setFixedHeight(QPushButton("X").sizeHint().height() + 2)
        self.setAccessibleName(self.tr("Messages"))

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
        row.next.clicked.connect(lambda _on=False: self._show_older(key))
        self._rows[key] = row
        self._layout.addWidget(row)
        while len(self._rows) > MOST_SHOWN:
            self.dismiss(next(iter(self._rows)))
        self._show_newest()
        announce(self, text, urgent=level == "error")
        if passing:
            QTimer.singleShot(PASSING_MS, row, lambda: self._let_pass(key, row))

    def _show_newest(self) -> None:
        rows = list(self._rows.values())
        for row in rows:
            row.setVisible(row is rows[-1])
            row.show_count(len(rows))

    def _show_older(self, key: str) -> None:
        """Show the next message; this one becomes the oldest."""
        self._rows = {key: self._rows.pop(key), **self._rows}
        self._show_newest()

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
            self._show_newest()

    def texts(self) -> list[str]:
        """Return the messages, newest first."""
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
        row.setContentsMargins(tokens.MARGIN, 1, tokens.SPACE, 1)
        self._symbol = QLabel()
        row.addWidget(self._symbol)
        label = _Text()
        label.show_text(" ".join(text.splitlines()))
        row.addWidget(label, 1)
        for remedy in remedies:
            row.addWidget(_remedy_button(remedy, dismiss))
        self.next = QToolButton()
        self.next.setAutoRaise(True)
        self.next.setToolTip(self.tr("Show the next message"))
        row.addWidget(self.next)
        row.addWidget(
            self._tool("copy", self.tr("Copy the message"), lambda: QApplication.clipboard().setText(text))
        )
        row.addWidget(self._tool("close", self.tr("Dismiss the message"), dismiss))
        self.setAccessibleName(text)
        theme.changed.connect(self._tint)
        self._tint()

    def show_count(self, count: int) -> None:
        """Show how many messages there are; a single one has nothing to count."""
        self.next.setText(self.tr("1 of {0}").format(count))
        self.next.setVisible(count > 1)

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
            if button is not self.next:
                button.setIcon(icon(button.objectName(), self._theme.text))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), blend(self._colour(), self._theme.background, 0.12))
        painter.fillRect(0, 0, 4, self.height(), self._colour())
        painter.end()


class _Text(ElidedLabel):
    """The message in one line; a click shows a long one whole, until the next click."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.fontMetrics().horizontalAdvance(self.text()) > self.width():
            QWhatsThis.showText(event.globalPosition().toPoint(), escape(self.text()), self)


def _remedy_button(remedy: Remedy, dismiss: Callable[[], None]) -> QPushButton:
    button = QPushButton(remedy.text)

    def act() -> None:
        dismiss()
        remedy.call()

    button.clicked.connect(act)
    return button
