"""Exports from the window: the file's ending says what is written; refusals are one line."""

import sys

import pytest
from PySide6.QtWidgets import QFileDialog

from ui.commands.export import FLAGS, Export
from ui.window.dialogs import ask_save

SPEAKS = "import sys; open(sys.argv[-1], 'w').write(' '.join(sys.argv[1:-1]))"


@pytest.mark.parametrize("ending", FLAGS)
def test_that_the_ending_says_what_is_written(qtbot, theme, tmp_path, ending):
    export = Export(theme, (sys.executable, "-c", SPEAKS))
    written = []
    export.start(tmp_path / "one.bench", tmp_path / f"out{ending}", written.append, pytest.fail)
    qtbot.waitUntil(lambda: bool(written), timeout=30_000)
    assert FLAGS[ending] in written[0].read_text()


def test_that_an_unknown_ending_is_refused_in_a_line(theme, tmp_path):
    refused = []
    Export(theme).start(tmp_path / "one.bench", tmp_path / "out.pdf", pytest.fail, refused.append)
    assert "out.pdf" in refused[0]
    assert ".xlsx" in refused[0]


def test_that_a_failed_export_is_told_by_its_last_line(qtbot, theme, tmp_path):
    export = Export(theme, (sys.executable, "-c", "import sys; sys.exit('error: no room left')"))
    refused = []
    export.start(tmp_path / "one.bench", tmp_path / "out.csv", pytest.fail, refused.append)
    qtbot.waitUntil(lambda: bool(refused), timeout=30_000)
    assert refused == ["no room left"]


def test_that_another_kind_brings_its_own_ending(window, tmp_path):
    ask_save(window, "Export", tmp_path / "one.csv", "CSV (*.csv);;Report (*.html)", lambda _path: None)
    dialog = window.findChild(QFileDialog)
    dialog.filterSelected.emit("Report (*.html)")
    assert dialog.defaultSuffix() == "html"
    dialog.reject()
