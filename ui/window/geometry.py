"""The window's geometry, docks and table columns between starts, as opaque bytes."""

import base64
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import msgspec
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from workbench.base import UNREADABLE, InputError, write_atomic

LAYOUT_VERSION = 4
"""Incremented when docks are added or renamed, which discards old layouts."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Stateful:
    """A part whose state can be saved as bytes and restored."""

    name: str
    save: Callable[[], bytes]
    restore: Callable[[bytes], object]


@runtime_checkable
class HasLayout(Protocol):
    """A panel whose table layout is kept."""

    def save_layout(self) -> bytes:
        """Return widths, order and visibility of the columns as opaque bytes."""

    def restore_layout(self, state: bytes) -> None:
        """Restore what `save_layout` returned."""


class LayoutFile:
    """Saves and restores each part on its own, so that a failure affects one part only."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def save(self, parts: list[Stateful]) -> None:
        """Write all parts."""
        held = {part.name: base64.b64encode(part.save()).decode() for part in parts}
        with suppress(InputError):
            write_atomic(self._path, msgspec.json.encode({"version": LAYOUT_VERSION, "parts": held}))

    def restore(self, parts: list[Stateful]) -> bool:
        """Restore the file's content; return False if there was nothing usable."""
        try:
            content = msgspec.json.decode(self._path.read_bytes())
            held = content["parts"] if content["version"] == LAYOUT_VERSION else {}
        except (OSError, KeyError, TypeError, *UNREADABLE):
            return False
        for part in parts:
            try:
                if part.name in held:
                    part.restore(base64.b64decode(held[part.name]))
            except (ValueError, TypeError, AttributeError) as error:
                _log.info("layout of %s not restored: %s", part.name, error)
        return bool(held)


def window_parts(window: QMainWindow) -> list[Stateful]:
    """Return the parts for geometry, and for docks and toolbars."""
    return [
        Stateful(
            "geometry", lambda: bytes(window.saveGeometry().data()), lambda data: _restore_place(window, data)
        ),
        Stateful(
            "docks",
            lambda: bytes(window.saveState(LAYOUT_VERSION).data()),
            lambda data: window.restoreState(QByteArray(data), LAYOUT_VERSION),
        ),
    ]


def _restore_place(window: QMainWindow, data: bytes) -> None:
    window.restoreGeometry(QByteArray(data))
    screens = QGuiApplication.screens()
    visible = any(screen.availableGeometry().intersects(window.frameGeometry()) for screen in screens)
    if screens and not visible:
        # The window's screen is gone.
        window.move(screens[0].availableGeometry().topLeft())


def first_size(window: QMainWindow) -> None:
    """Set a first size that fits the screen: all of 1366×768, a part of a larger one."""
    room = QGuiApplication.primaryScreen().availableGeometry()
    window.resize(min(room.width(), 1600), min(room.height(), 1000))
