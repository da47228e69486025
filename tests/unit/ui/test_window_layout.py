"""How the window is arranged: small screens, arrangements, the form, what everything is called."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QGraphicsView,
    QTabBar,
    QWidget,
)

from tests.unit.ui.test_window import click, finish
from ui.commands.actions import SPECS
from ui.compare.offer_dialog import OfferDialog
from ui.scorecard.columns import COLUMNS


def test_that_the_smallest_screen_holds_the_whole_window(window):
    window.resize(1366, 768)
    assert window.minimumSizeHint().width() <= 1024
    assert window.minimumSizeHint().height() <= 640


def test_that_everything_one_can_press_has_a_name(window):
    for button in window.findChildren(QAbstractButton):
        if button.isVisibleTo(window) and button.objectName() != "qt_toolbar_ext_button":
            named = button.text() or button.accessibleName() or button.toolTip()
            assert named, f"a {type(button).__name__} in {button.parent()} has no name"


def nameless(root):
    """What takes the keyboard there and could not be told to somebody who doesn't see it."""
    for part in root.findChildren(QWidget):
        tabbed = part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.isVisibleTo(root)
        inner = isinstance(part.parent(), QAbstractSpinBox | QComboBox | QGraphicsView)
        if tabbed and not inner:
            words = part.text() if isinstance(part, QAbstractButton) else ""
            if not (words or part.accessibleName() or part.toolTip()):
                yield f"{type(part).__name__} in {type(part.parent()).__name__}"


def test_that_everything_that_takes_the_keyboard_has_a_name(window, settle):
    for name in ("scorecard", "requests", "steps", "session", "server", "log"):
        window.docks[name].raise_()
        settle(window)
        assert list(nameless(window)) == [], name


@pytest.mark.parametrize("command", ["edit.preferences", "file.compare", "help.palette", "help.guide"])
def test_that_everything_that_takes_the_keyboard_in_a_dialog_has_a_name(window, settle, command):
    window.actions_[command].trigger()
    (dialog,) = (each for each in window.findChildren(QDialog) if each.isVisible())
    settle(dialog)
    assert list(nameless(dialog)) == []
    if command == "file.compare":
        dialog.offers.begin_offer()
        assert list(nameless(dialog.findChild(OfferDialog))) == []
    dialog.reject()


def test_that_settings_of_rubbish_are_said_in_the_bar(make_window, folders):
    (folders.config / "settings.json").write_text("{")
    window = make_window()
    assert "could not be read" in window.messages.texts()[0]


def test_that_the_plan_runs_by_its_key(window, qtbot):
    window.activateWindow()
    qtbot.waitActive(window)
    qtbot.keyClick(window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: window.runs.running)
    finish(window, qtbot)


def test_that_touching_a_second_control_offers_to_test_it_instead(window, qtbot):
    form = window.experiment.control
    form.model.value_wanted.emit("max_num_batched_tokens", 4096)
    assert window.editor.draft.baseline["max_num_batched_tokens"] == 4096
    assert form.offer.isVisible()
    click(qtbot, form.offer)
    draft = window.editor.draft
    assert (draft.control, draft.values) == ("max_num_batched_tokens", (4096,))
    assert "max_num_batched_tokens" not in draft.baseline
    assert not form.offer.isVisible()


def test_that_the_form_is_as_narrow_as_before_once_a_wide_section_is_folded(window, qtbot, settle):
    dock = window.docks["experiment"]
    settle(window)
    before = dock.width()
    for section, _, _ in window.experiment.sections:
        section.unfold()
    settle(window)
    assert dock.width() > before
    for section, _, _ in window.experiment.sections[3:] + window.experiment.sections[:2]:
        section.header.setChecked(False)
    settle(window)
    assert dock.width() == before


def test_that_the_folded_control_is_named_by_its_title(window):
    _, _, said = window.experiment.sections[2]
    assert said().startswith("Sequence limit: ")


def test_that_review_shows_what_was_concluded_on_a_small_screen(window, qtbot, settle):
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.state.phase == "finished")
    window.actions_["view.review"].trigger()
    table = window.scorecard.table
    qtbot.waitUntil(lambda: table.width() < window.width() * 0.7)
    settle(window)
    keys = [column.key for column in COLUMNS]
    for key in ("objectives", "verdict", "completed_rps", "ttft_p95_ms"):
        section = keys.index(key)
        right = table.columnViewportPosition(section) + table.columnWidth(section)
        assert 0 < right <= table.viewport().width()


def test_that_a_copy_has_no_file_and_leaves_the_first_alone(window, tmp_path):
    window.documents.save_to(tmp_path / "a.toml")
    window.actions_["file.duplicate"].trigger()
    assert window.editor.path is None
    assert window.editor.draft.name == "Sequence limit copy"
    assert 'name = "Sequence limit"' in (tmp_path / "a.toml").read_text()


def test_that_no_tabs_of_an_earlier_arrangement_lie_over_the_plots(window, settle):
    for arrange in ("tune", "review", "tune", "demo"):
        window.actions_[f"view.{arrange}"].trigger()
        settle(window)
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert [bar for bar in bars if bar.isVisible() and window.rect().intersects(bar.geometry())] == []
    window.actions_["view.tune"].trigger()
    settle(window)
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    shown = [bar for bar in bars if bar.isVisible() and window.rect().intersects(bar.geometry())]
    assert [bar.count() for bar in shown] == [6]


def test_that_each_arrangement_shows_its_rooms_and_tune_brings_all_back(window):
    visible = lambda: {name for name, dock in window.docks.items() if dock.isVisible()}  # noqa: E731
    plain = window.plots.fontMetrics().height()
    window.actions_["view.demo"].trigger()
    assert visible() == {"insights"}
    assert window.plots.fontMetrics().height() > plain * 1.25
    window.actions_["view.review"].trigger()
    assert "experiment" not in visible()
    assert window.scorecard.chart.isVisibleTo(window)
    window.actions_["view.tune"].trigger()
    assert visible() >= {"experiment", "insights", "scorecard"}
    assert window.plots.fontMetrics().height() == plain


def test_that_arrangements_come_by_their_keys_after_a_plan(window, qtbot):
    window.activateWindow()
    qtbot.waitActive(window)
    window.commands.run_demo()
    finish(window, qtbot, 60_000)
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert [name for name, dock in window.docks.items() if dock.isVisible()] == ["insights"]
    qtbot.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert window.docks["experiment"].isVisible()


def test_that_no_shortcut_takes_a_bare_key_that_sliders_tables_and_fields_need():
    """A window's shortcut goes before the key of the widget that has the focus; a demo may take its own."""
    needed = {
        "Home",
        "End",
        "Left",
        "Right",
        "Up",
        "Down",
        "Space",
        "PgUp",
        "PgDown",
        "Return",
        "Enter",
        "Tab",
    }
    taken = {spec.id: spec.shortcut for spec in SPECS if not spec.id.startswith("demo.")}
    assert not {name: keys for name, keys in taken.items() if keys in needed}


def test_that_the_scorecard_fills_its_width_in_every_arrangement(window, settle):
    header = window.scorecard.table.horizontalHeader()
    settle(window)
    assert header.length() == window.scorecard.table.viewport().width()
    window.actions_["view.review"].trigger()
    settle(window)
    window.actions_["view.tune"].trigger()
    settle(window)
    assert header.length() == window.scorecard.table.viewport().width()


def test_that_1366_by_768_pixels_at_200_percent_hold_the_window_and_its_start(make_window, settle):
    window = make_window(683, 384)
    settle(window)
    assert window.minimumSizeHint().width() <= 683
    assert window.minimumSizeHint().height() <= 384
    page = window.start_page
    assert page.widget().width() <= page.viewport().width()
    assert page.viewport().width() > window.width() / 2
    tabs = window.tabifiedDockWidgets(window.docks["experiment"])
    assert tabs == [window.docks["insights"]]
    window.actions_["view.tune"].trigger()
    settle(window)
    assert window.tabifiedDockWidgets(window.docks["experiment"]) == tabs
