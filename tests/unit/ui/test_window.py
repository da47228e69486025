"""The whole window, driven by mouse and keys, on a stand-in for the conductor."""

import itertools
import time
from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QMessageBox, QPushButton, QTabBar, QWidget

from ui.actions import SPECS
from ui.dialogs import Question
from ui.scorecard.columns import COLUMNS


def finish(window, qtbot, seconds=20_000):
    qtbot.waitUntil(lambda: not window.runs.running, timeout=seconds)


def click(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def answer(window, qtbot, name):
    """Press a button of the question that is open."""
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    click(qtbot, window.findChild(Question).findChild(QPushButton, name))


def choose_file(window, qtbot, path):
    """Give a file to the dialog that is open."""
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is not None)
    dialog = window.findChild(QFileDialog)
    dialog.selectFile(str(path))
    dialog.accept()


def test_that_an_empty_window_offers_one_big_button(window):
    assert window.centre.currentWidget() is window.start_page
    assert window.start_page.demo.isDefault()
    assert not window.actions_["run.stop"].isEnabled()
    assert not window.actions_["file.export_csv"].isEnabled()


def test_that_the_demo_runs_from_its_button_to_a_full_scorecard(window, qtbot):
    click(qtbot, window.start_page.demo)
    assert window.centre.currentWidget() is window.plots
    qtbot.waitUntil(lambda: window.runs.state.phase == "running", timeout=10_000)
    assert window.actions_["run.stop"].isEnabled()
    assert not window.actions_["run.start"].isEnabled()
    finish(window, qtbot)
    assert window.runs.state.phase == "finished"
    rows = [window.scorecard.table.model().index(row, 0).data() for row in range(3)]
    assert rows[0].startswith("baseline")
    assert "7.3 → 11.9 req/s." in window.guide.text.text()
    assert "no longer grows" in window.guide.evidence.text()


def test_that_the_plots_show_the_running_run_with_the_baseline_behind(window, qtbot):
    window.commands.run_demo()
    finish(window, qtbot)
    window.plots.draw_all()
    ttft = window.plots.plots[1]
    assert len(ttft._curves[1].getData()[0]) > 10
    assert len(ttft._behind[1].getData()[0]) > 10
    assert "p95" in ttft.summary()


def test_that_the_form_follows_which_control_the_demo_has_under_test(window, qtbot):
    tested = []
    window.editor.changed.connect(lambda: tested.append(window.editor.draft.control))
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.state.phase == "finished")
    assert [key for key, _ in itertools.groupby(tested)] == [
        "max_num_seqs",
        "max_num_batched_tokens",
        "max_num_seqs",
    ]


def test_that_what_was_typed_while_the_demo_runs_stays(window, qtbot):
    window.commands.run_demo()
    window.editor.edit("rate", rates=(3.0,))
    draft = window.editor.draft
    qtbot.waitUntil(lambda: window.runs.state.phase == "finished")
    assert window.editor.draft == draft


def test_that_a_small_screen_shows_the_whole_form_of_a_session(window, qtbot):
    window.docks["session"].raise_()
    room = window.docks["session"].widget()
    room.begin()
    form = room.form
    qtbot.waitUntil(form.isVisible)
    note = form._note
    qtbot.waitUntil(lambda: note.visibleRegion().boundingRect().height() >= note.height() - 2)


def test_that_a_session_begun_after_the_demo_has_its_results(window, qtbot):
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.state.phase == "finished")
    window.docks["session"].raise_()
    room = window.docks["session"].widget()
    room.begin()
    (step,) = room.book.session.steps
    assert step.bench == window.runs.state.bench


def test_that_the_clock_rests_when_nothing_can_move(window, qtbot):
    window.commands.run_demo()
    finish(window, qtbot)
    qtbot.waitUntil(lambda: not window.clock.running)


def test_that_stop_ends_the_plan_and_keeps_what_was_measured(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_HOLD", "1")
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.actions_["run.stop"].isEnabled() and window.runs.state.index == 1)
    window.actions_["run.stop"].trigger()
    finish(window, qtbot)
    assert window.runs.state.phase == "stopped"
    assert next(iter(window.runs.state.runs.values())).status == "partial"


def test_that_skip_leaves_one_run_and_goes_on(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_HOLD", "1")
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.state.index == 1 and window.runs.state.phase == "running")
    window.actions_["run.skip"].trigger()
    finish(window, qtbot)
    assert [run.status for run in window.runs.state.runs.values()] == ["partial", "done", "done"]


def test_that_a_conductor_that_dies_is_told_and_can_be_started_again(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_END", "crash")
    window.commands.run_demo()
    finish(window, qtbot)
    assert window.runs.state.phase == "failed"
    assert "1 of 3 runs are kept" in window.messages.texts()[0]
    monkeypatch.setenv("FAKE_END", "done")
    again = [button for button in window.messages.findChildren(QPushButton) if button.text() == "Run again"]
    click(qtbot, again[0])
    finish(window, qtbot)
    assert window.runs.state.phase == "finished"
    assert window.messages.texts() == []


def test_that_a_plan_that_is_refused_shows_the_core_s_words(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_END", "refuse")
    window.commands.run_demo()
    finish(window, qtbot)
    assert "[load] rates is empty" in window.messages.texts()[0]


def test_that_a_lost_server_makes_the_plots_stale(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_END", "lost")
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.stale, timeout=10_000)
    assert "what is shown is old" in window.status.text()
    window.runs.skip()
    finish(window, qtbot)


def test_that_the_draft_runs_with_what_the_form_says(window, qtbot):
    window.experiment.control.chips.edited.emit((48,))
    click(qtbot, window.experiment._run)
    finish(window, qtbot)
    assert list(window.runs.state.runs) == ["baseline @ 12 req/s", "max_num_seqs = 48 @ 12 req/s"]
    folder = Path(window.runs.state.bench).parent
    assert "values = [48]" in (folder / "experiment.toml").read_text()


def test_that_a_problem_disables_run_and_leads_to_its_field(window, qtbot):
    window.editor.edit("x", rates=("fast",))
    assert not window.actions_["run.start"].isEnabled()
    assert window.experiment._problem.text() == "⚠ 1 thing to mend"
    click(qtbot, window.experiment._problem)
    load = window.experiment.load
    qtbot.waitUntil(lambda: load.isVisible() and load._rates.entry.hasFocus())


def test_that_every_edit_can_be_undone_by_its_name(window, qtbot):
    window.experiment.control.model.test_wanted.emit("enable_chunked_prefill")
    assert window.editor.draft.values == (True, False)
    assert "test chunked prefill" in window.actions_["edit.undo"].text()
    window.actions_["edit.undo"].trigger()
    assert window.editor.draft.control == "max_num_seqs"
    assert not window.isWindowModified()
    window.actions_["edit.redo"].trigger()
    assert window.editor.draft.control == "enable_chunked_prefill"


def test_that_an_experiment_is_saved_and_opened_again(window, qtbot, tmp_path):
    window.editor.edit("x", name="Mine", values=(48,))
    assert window.isWindowModified()
    window.actions_["file.save"].trigger()
    choose_file(window, qtbot, tmp_path / "mine.toml")
    qtbot.waitUntil((tmp_path / "mine.toml").exists)
    assert not window.isWindowModified()
    window.editor.begin()
    window.documents.open_path(tmp_path / "mine.toml")
    assert window.editor.draft.values == (48,)
    assert "mine.toml" in window.windowTitle()


def test_that_unsaved_changes_are_asked_about(window, qtbot):
    window.editor.edit("x", name="Mine")
    window.actions_["file.new"].trigger()
    answer(window, qtbot, "cancel")
    assert window.editor.draft.name == "Mine"
    qtbot.waitUntil(lambda: window.findChild(Question) is None)
    window.actions_["file.new"].trigger()
    answer(window, qtbot, "discard")
    assert window.editor.draft.name == "Sequence limit"


def test_that_a_file_that_is_no_experiment_changes_nothing(window, tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text('name = "x"\nsurprise = 1\n')
    before = window.editor.draft
    window.documents.open_path(bad)
    assert str(bad) in window.messages.texts()[0]
    assert window.editor.draft == before


def test_that_a_trace_dropped_on_the_window_becomes_the_workload(window, qtbot, tmp_path):
    trace = tmp_path / "t.jsonl"
    rows = "".join(
        f'{{"timestamp": {n * 100}, "input_length": 300, "output_length": 20}}\n' for n in range(50)
    )
    trace.write_text('{"workbench_trace": 1, "block_tokens": 512, "source": "t", "transforms": []}\n' + rows)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(trace))])
    drop = QDropEvent(
        QPointF(400, 300), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    window.dropEvent(drop)
    qtbot.waitUntil(lambda: window.editor.draft.trace_file == str(trace), timeout=30_000)
    window.experiment.sections[1][0].unfold()
    qtbot.waitUntil(lambda: "50 requests" in window.experiment.workload._preview.text(), timeout=10_000)


def test_that_closing_during_a_run_asks_and_can_leave_it_running(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_RUN_S", "1.5")
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.state.phase == "running")
    window.close()
    assert window.isVisible()
    answer(window, qtbot, "cancel")
    assert window.runs.running
    qtbot.waitUntil(lambda: window.findChild(Question) is None)
    window.close()
    pid = window.runs.client.pid
    answer(window, qtbot, "leave")
    qtbot.waitUntil(lambda: not window.isVisible())
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and Path(f"/proc/{pid}/cmdline").exists():
        if not Path(f"/proc/{pid}/cmdline").read_bytes():
            break
        time.sleep(0.05)
    else:
        assert not Path(f"/proc/{pid}").exists(), "the plan did not end by itself"


def test_that_closing_can_stop_the_run_first(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_HOLD", "1")
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.state.phase == "running")
    window.close()
    answer(window, qtbot, "stop")
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=10_000)
    assert window.runs.state.phase == "stopped"


def test_that_the_layout_comes_back_at_the_next_start(make_window, qtbot):
    first = make_window()
    first.docks["guide"].hide()
    first.resize(1200, 700)
    first.close()
    qtbot.waitUntil(lambda: not first.isVisible())
    second = make_window()
    assert second.docks["guide"].isHidden()
    assert second.size().width() <= 1366
    second.actions_["view.tune"].trigger()
    assert not second.docks["guide"].isHidden()


def test_that_a_double_click_on_a_row_shows_its_plots(window, qtbot):
    window.commands.run_demo()
    finish(window, qtbot)
    window.scorecard.run_chosen.emit("baseline @ 12 req/s")
    assert window.plots.chosen == "baseline @ 12 req/s"
    assert "baseline" in window.plots.caption.run.text()


def test_that_dark_and_light_switch_while_the_window_is_open(window, qtbot):
    window.actions_["view.dark"].trigger()
    qtbot.waitUntil(lambda: window.theme.dark)
    background = window.plots.plots[0]._view.backgroundBrush().color()
    assert background == window.theme.background
    window.actions_["view.light"].trigger()
    assert not window.theme.dark


def test_that_commands_are_found_by_a_part_of_their_name(window, qtbot):
    window.help_commands.find_command()
    palette = window.findChild(QWidget, "palette")
    qtbot.keyClicks(palette.entry, "arrtune")
    assert palette.found.item(0).text().startswith("Arrange to tune")
    window.docks["guide"].hide()
    qtbot.keyClick(palette.entry, Qt.Key.Key_Return)
    assert not window.docks["guide"].isHidden()


def test_that_about_tells_the_versions(window, qtbot):
    window.help_commands.about()
    box = window.findChild(QMessageBox)
    assert "vLLM Workbench 0." in box.text()
    box.close()


def test_that_the_smallest_screen_holds_the_whole_window(window):
    window.resize(1366, 768)
    assert window.minimumSizeHint().width() <= 1024
    assert window.minimumSizeHint().height() <= 640


def test_that_everything_one_can_press_has_a_name(window):
    for button in window.findChildren(QAbstractButton):
        if button.isVisibleTo(window) and button.objectName() != "qt_toolbar_ext_button":
            named = button.text() or button.accessibleName() or button.toolTip()
            assert named, f"a {type(button).__name__} in {button.parent()} has no name"


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


def test_that_the_form_is_as_narrow_as_before_once_a_wide_section_is_folded(window, qtbot):
    dock = window.docks["experiment"]
    before = dock.width()
    for section, _, _ in window.experiment.sections:
        section.unfold()
    qtbot.waitUntil(lambda: dock.width() > before)
    for section, _, _ in window.experiment.sections[3:] + window.experiment.sections[:2]:
        section.header.setChecked(False)
    qtbot.waitUntil(lambda: dock.width() == before)


def test_that_the_folded_control_is_named_by_its_title(window):
    _, _, said = window.experiment.sections[2]
    assert said().startswith("Sequence limit: ")


def test_that_review_shows_what_was_concluded_on_a_small_screen(window, qtbot):
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.state.phase == "finished")
    window.actions_["view.review"].trigger()
    table = window.scorecard.table
    qtbot.waitUntil(lambda: table.width() < window.width() * 0.7)
    keys = [column.key for column in COLUMNS]
    for key in ("objectives", "verdict"):
        section = keys.index(key)
        right = table.columnViewportPosition(section) + table.columnWidth(section)
        assert 0 < right <= table.viewport().width()


def test_that_a_copy_has_no_file_and_leaves_the_first_alone(window, tmp_path):
    window.documents.save_to(tmp_path / "a.toml")
    window.actions_["file.duplicate"].trigger()
    assert window.editor.path is None
    assert window.editor.draft.name == "Sequence limit copy"
    assert 'name = "Sequence limit"' in (tmp_path / "a.toml").read_text()


def test_that_no_tabs_of_an_earlier_arrangement_lie_over_the_plots(window, qtbot):
    for arrange in ("tune", "review", "tune", "demo"):
        window.actions_[f"view.{arrange}"].trigger()
        qtbot.wait(50)
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert [bar for bar in bars if bar.isVisible() and window.rect().intersects(bar.geometry())] == []
    window.actions_["view.tune"].trigger()
    qtbot.wait(50)
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    shown = [bar for bar in bars if bar.isVisible() and window.rect().intersects(bar.geometry())]
    assert [bar.count() for bar in shown] == [5]


def test_that_each_arrangement_shows_its_rooms_and_tune_brings_all_back(window):
    visible = lambda: {name for name, dock in window.docks.items() if dock.isVisible()}  # noqa: E731
    plain = window.plots.fontMetrics().height()
    window.actions_["view.demo"].trigger()
    assert visible() == {"guide"}
    assert window.plots.fontMetrics().height() > plain * 1.25
    window.actions_["view.review"].trigger()
    assert "experiment" not in visible()
    assert window.scorecard.chart.isVisibleTo(window)
    window.actions_["view.tune"].trigger()
    assert visible() >= {"experiment", "guide", "scorecard"}
    assert window.plots.fontMetrics().height() == plain


def test_that_arrangements_come_by_their_keys_after_a_plan(window, qtbot):
    window.activateWindow()
    qtbot.waitActive(window)
    window.commands.run_demo()
    finish(window, qtbot, 60_000)
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert [name for name, dock in window.docks.items() if dock.isVisible()] == ["guide"]
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
