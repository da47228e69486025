"""Files that are opened or dropped: what can't be used is said in one line, and nothing changes."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent

from ui.experiment import Draft
from ui.experiment.draft_file import to_text
from ui.files.documents import first_folder
from ui.window.message_bar import MessageBar


def test_that_a_file_that_is_no_trace_is_refused_in_one_line_of_the_message_bar(window, qtbot, tmp_path):
    bad = tmp_path / "notes.csv"
    bad.write_text("a,b\nx,y\n")
    before = window.editor.draft
    window.documents.open_any(bad)
    qtbot.waitUntil(lambda: bool(window.messages.texts()), timeout=30_000)
    (said,) = window.messages.texts()
    assert str(bad) in said
    assert "\n" not in said
    assert window.editor.draft == before


def test_that_its_columns_can_be_named_from_there(window, qtbot, tmp_path):
    bad = tmp_path / "notes.csv"
    bad.write_text("when,asked,got\n0,10,20\n1,10,20\n")
    wanted = []
    window.documents.columns_wanted.disconnect()
    window.documents.columns_wanted.connect(lambda path, why: wanted.append((path, why)))
    window.documents.open_any(bad)
    qtbot.waitUntil(lambda: bool(window.messages.texts()), timeout=30_000)
    remedy(window.messages, "Name its columns…").click()
    assert wanted[0][0] == bad


def remedy(bar: MessageBar, text: str):
    from PySide6.QtWidgets import QPushButton

    return next(button for button in bar.findChildren(QPushButton) if button.text() == text)


def test_that_a_missing_file_is_said_without_a_remedy(window, qtbot, tmp_path):
    window.documents.open_any(tmp_path / "gone.csv")
    qtbot.waitUntil(lambda: bool(window.messages.texts()), timeout=30_000)
    assert "gone.csv" in window.messages.texts()[0]


def carried(*urls):
    data = QMimeData()
    data.setUrls([QUrl(url) for url in urls])
    return data


def drop(window, path):
    """As the system does it: over the window first."""
    data = carried(QUrl.fromLocalFile(str(path)).toString())
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, left, none)
    enter.ignore()
    window.dragEnterEvent(enter)
    assert enter.isAccepted()
    window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, left, none))


def test_that_an_experiment_dropped_on_the_window_is_opened(window, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(to_text(Draft(name="Mine", values=(48,))))
    drop(window, path)
    assert (window.editor.draft.name, window.editor.path) == ("Mine", path)


def test_that_a_bench_file_dropped_on_the_window_is_shown(window, qtbot, tmp_path):
    path = tmp_path / "a.db"
    path.write_bytes(b"SQLite format 3\0" + b"\1" * 80)
    with qtbot.waitSignal(window.documents.bench_chosen) as chosen:
        drop(window, path)
    assert chosen.args == [path]


@pytest.mark.parametrize("urls", [(), ("https://example.org/a.toml",), ("file:///a.toml", "file:///b.toml")])
def test_that_nothing_but_one_file_of_this_machine_can_be_dropped(window, urls):
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    data = carried(*urls)
    enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, left, none)
    enter.ignore()
    window.dragEnterEvent(enter)
    assert not enter.isAccepted()


def test_that_files_are_looked_for_where_results_are_before_any_was_opened(tmp_path):
    assert first_folder(tmp_path) == str(tmp_path)
    assert first_folder(tmp_path / "none") == str(Path.home())
