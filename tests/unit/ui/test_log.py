import pytest
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QComboBox, QLineEdit

from tests.unit.ui.children import get_child
from ui.live import LogLine
from ui.log import LogPanel
from ui.log import model as log_model


def lines(count, level="info"):
    return [LogLine(float(t), "server", level, f"line {t}") for t in range(count)]


@pytest.fixture
def widget(qtbot, theme):
    widget = LogPanel(theme)
    qtbot.addWidget(widget)
    widget.resize(600, 200)
    tester = QAbstractItemModelTester(widget.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    widget.show()
    yield widget
    tester.deleteLater()


def test_that_the_log_is_bounded(widget, monkeypatch):
    monkeypatch.setattr(log_model, "KEPT", 100)
    for _ in range(5):
        widget.add(lines(60))
    assert widget.model.rowCount() <= 100
    assert widget.lines()[-1].endswith("line 59")


def test_that_levels_and_words_narrow_what_is_shown(widget, qtbot):
    widget.add([*lines(3), LogLine(9.0, "server", "error", "out of memory")])
    get_child(widget, QComboBox, "level").setCurrentIndex(2)
    assert [line.split("✗ ")[1] for line in widget.lines()] == ["out of memory"]
    get_child(widget, QComboBox, "level").setCurrentIndex(0)
    qtbot.keyClicks(get_child(widget, QLineEdit, "search"), "LINE 1")
    assert len(widget.lines()) == 1


def test_that_the_end_stays_in_sight_unless_one_scrolled_away(widget):
    widget.add(lines(200))
    bar = widget.view.verticalScrollBar()
    assert bar.value() == bar.maximum()
    bar.setValue(0)
    widget.add(lines(10))
    assert bar.value() == 0


def test_that_a_line_whose_time_is_unknown_says_none():
    assert log_model.text_of(LogLine(float("nan"), "server", "info", "up")).split() == ["server", "up"]
    assert log_model.text_of(LogLine(2.25, "server", "info", "up")).split()[0] in {"2.2", "2.3"}
