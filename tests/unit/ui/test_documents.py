"""Files that are opened or dropped: what can't be used is said in one line, and nothing changes."""

from ui.message_bar import MessageBar


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
