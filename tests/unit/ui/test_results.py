"""Stored results beside the form: its settings are theirs, or are said not to be."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from ui import result_commands
from ui.live import LiveState

TEXT = """
name = "Measured"
[target]
kind = "embedded"
profile = "h100_sxm/Llama-3.1-8B/tp1"
[baseline]
max_num_seqs = 8
[control]
name = "max_num_seqs"
values = [24]
[trace]
synthetic = "100:20"
[load]
rates = [3.0]
duration_s = 10.0
"""


@pytest.fixture
def bench(monkeypatch):
    state = LiveState(phase="opened", bench="b.bench", read_only=True, experiments=[TEXT])
    monkeypatch.setattr(result_commands, "_read_bench", lambda path: state)
    return Path("b.bench")


def test_that_the_form_takes_the_settings_of_opened_results(window, qtbot, bench):
    window.commands.results.open_bench(bench)
    qtbot.waitUntil(lambda: window.editor.draft.name == "Measured")
    assert window.editor.draft.values == (24,)
    assert window.messages.texts() == []


def test_that_unsaved_settings_are_kept_and_said_to_be_others(window, qtbot, bench):
    window.editor.edit("x", name="Mine")
    window.commands.results.open_bench(bench)
    qtbot.waitUntil(lambda: bool(window.messages.texts()))
    assert "not those of the results" in window.messages.texts()[0]
    assert window.editor.draft.name == "Mine"
    replace = next(b for b in window.messages.findChildren(QPushButton) if "results" in b.text())
    qtbot.mouseClick(replace, Qt.MouseButton.LeftButton)
    assert window.editor.draft.name == "Measured"
    window.editor.undo()
    assert window.editor.draft.name == "Mine"
