"""What holds nothing says what will stand there, and steps aside for the first row."""

from PySide6.QtWidgets import QLineEdit, QListWidget

from tests.unit.ui.children import get_child
from ui.look.empty_text import EmptyText


def test_that_an_empty_list_says_what_will_stand_there(qtbot, theme):
    view = QListWidget()
    qtbot.addWidget(view)
    words = EmptyText(view, theme, "Nothing yet")
    view.resize(300, 200)
    view.show()
    assert words.isVisible()
    assert words.size() == view.viewport().size()
    view.addItem("one")
    assert not words.isVisible()
    view.clear()
    assert words.isVisible()


def test_that_an_empty_window_has_words_in_each_empty_panel(window):
    for name in ("scorecard", "server", "log"):
        window.docks[name].raise_()
        shown = [part for part in window.docks[name].widget().findChildren(EmptyText) if not part.isHidden()]
        assert shown, name


def test_that_a_filter_that_finds_nothing_is_another_matter(window, qtbot):
    window.commands.run_demo()
    qtbot.waitUntil(lambda: not window.runs.running, timeout=30_000)
    get_child(window.scorecard, QLineEdit, "filter").setText("no run is called so")
    (words,) = window.scorecard.findChildren(EmptyText)
    assert words.isHidden()
