"""Qt's messages while it looks for a screen, replaced by one line of our own."""

import os
import re
import sys
from collections.abc import Mapping

from PySide6.QtCore import QtMsgType, qInstallMessageHandler

from workbench.base import Message, message

_NO_CONNECTION = re.compile(r"could not connect to display|Failed to create wl_display")
_NO_PLUGIN = re.compile(r'Could not find the Qt platform plugin "([^"]*)"')


def end_without_screen() -> None:
    """End a start without a usable screen with one line and exit code 1."""
    said: list[str] = []

    def hear(kind: QtMsgType, _context: object, text: str) -> None:
        said.append(text)
        if kind == QtMsgType.QtFatalMsg:
            reason = why_no_screen(said, os.environ)
            sys.stderr.write(f"error: {message('ui.no_window', reason=reason)}\n")
            sys.stderr.flush()
            # Qt aborts the process as soon as this returns.
            os._exit(1)

    qInstallMessageHandler(hear)


def why_no_screen(said: list[str], environment: Mapping[str, str]) -> Message:
    """Return why Qt found no screen.

    Args:
        said: Qt's messages up to its last one.
        environment: the process's variables.
    """
    text = "\n".join(said)
    unknown = _NO_PLUGIN.search(text)
    if unknown:
        return message("ui.no_platform", platform=unknown[1])
    names = [name for name in ("WAYLAND_DISPLAY", "DISPLAY") if environment.get(name)]
    if not names and (_NO_CONNECTION.search(text) or not environment.get("QT_QPA_PLATFORM")):
        return message("ui.no_display")
    if _NO_CONNECTION.search(text):
        return message("ui.display_unreachable", displays=[f"{name}={environment[name]}" for name in names])
    return message("ui.no_screen_libraries", problem=said[0] if said else "")
