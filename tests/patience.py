"""A `qtbot` that is patient: waiting is a bound against hanging only, never a measure of speed."""

from collections.abc import Callable
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

PATIENCE_MS = 40_000
"""On a machine with other work a process takes seconds to start."""


@pytest.fixture
def qtbot(qtbot: QtBot) -> QtBot:
    """As pytest-qt's, with patience wherever a test waits for something to become true or to be told."""
    until, signal = qtbot.waitUntil, qtbot.waitSignal

    def wait_until(callback: Callable[[], object], *, timeout: int = PATIENCE_MS) -> None:
        until(callback, timeout=max(timeout, PATIENCE_MS))

    def wait_signal(told: object, *, timeout: int = PATIENCE_MS, **more: Any) -> object:
        # What must not be told is listened for as long as the test says (`assertNotEmitted`).
        must_come = more.get("raising") is not False
        return signal(told, timeout=max(timeout, PATIENCE_MS) if must_come else timeout, **more)

    qtbot.waitUntil, qtbot.waitSignal = wait_until, wait_signal
    return qtbot
