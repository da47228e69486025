"""The whole window, driven by mouse and keys, on a stand-in for the conductor."""

import itertools
import time
from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QPlainTextEdit, QPushButton, QWidget

from tests.unit.ui.children import get_child
from ui.window.dialogs import Question


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


def test_that_the_demo_runs_from_its_button_to_a_full_scorecard(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_HOLD", "1")
    click(qtbot, window.start_page.demo)
    assert window.centre.currentWidget() is window.plots
    qtbot.waitUntil(lambda: window.runs.state.phase == "running")
    assert window.actions_["run.stop"].isEnabled()
    assert not window.actions_["run.start"].isEnabled()
    window.runs.client.send("go_on")
    finish(window, qtbot)
    assert window.runs.state.phase == "finished"
    rows = [window.scorecard.table.model().index(row, 0).data() for row in range(3)]
    assert rows[0].startswith("baseline")
    assert "7.3 → 11.9 req/s." in window.insights.text.text()
    assert "no longer grows" in window.insights.evidence.text()


def test_that_the_plots_show_the_running_run_with_the_baseline_behind(window, qtbot):
    window.commands.run_demo()
    finish(window, qtbot)
    window.plots.draw_all()
    ttft = window.plots.plots[1]
    assert len(ttft.curves[1].getData()[0]) > 10
    assert len(ttft.behind_curves[1].getData()[0]) > 10
    assert "p95" in ttft.summary()


def test_that_the_form_follows_which_control_the_demo_has_under_test(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_HOLD", "all")
    tested = []
    window.editor.changed.connect(lambda: tested.append(window.editor.draft.control))
    window.commands.run_demo()
    for run in (1, 2, 3):
        qtbot.waitUntil(lambda run=run: window.runs.state.index == run)
        window.runs.client.send("go_on")
    finish(window, qtbot)
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


def test_that_a_small_screen_shows_the_whole_form_of_a_session(window, qtbot, settle):
    window.docks["session"].raise_()
    panel = window.docks["session"].widget()
    panel.begin()
    form = panel.form
    qtbot.waitUntil(form.isVisible)
    note = get_child(form, QPlainTextEdit, "note")
    qtbot.waitUntil(lambda: note.visibleRegion().boundingRect().height() >= note.height())
    settle(window)
    area = form.parentWidget().parentWidget()
    assert area.verticalScrollBar().maximum() == 0, "nothing to scroll to"


def test_that_a_session_begun_after_the_demo_has_its_results(window, qtbot):
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.state.phase == "finished")
    window.docks["session"].raise_()
    panel = window.docks["session"].widget()
    panel.begin()
    (step,) = panel.history.session.steps
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


def test_that_a_plan_whose_conductor_died_is_gone_on_with_and_what_was_measured_stays(
    window, qtbot, monkeypatch
):
    monkeypatch.setenv("FAKE_END", "crash")
    window.commands.run_demo()
    finish(window, qtbot)
    first = next(iter(window.runs.state.runs.values()))
    points, bench = len(first.series), window.runs.state.bench
    assert points > 0
    monkeypatch.setenv("FAKE_END", "done")
    on = [button for button in window.messages.findChildren(QPushButton) if button.text() == "Go on"]
    click(qtbot, on[0])
    finish(window, qtbot)
    state = window.runs.state
    assert (state.phase, state.bench) == ("finished", bench)
    assert [run.status for run in state.runs.values()] == ["done", "done", "done"]
    kept = state.runs[first.name]
    assert (len(kept.series), kept.diagnosed) == (points, first.diagnosed)
    assert not window.actions_["run.go_on"].isEnabled()
    assert window.messages.texts() == []


def test_that_invalid_runs_are_offered_to_be_done_again(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_END", "late")
    window.commands.run_demo()
    finish(window, qtbot)
    assert window.runs.state.phase == "finished"
    qtbot.waitUntil(lambda: bool(window.messages.texts()))
    assert window.messages.texts()[0].startswith("Invalid runs: 1. ")
    asked = []
    monkeypatch.setattr(window.runs.client, "start", lambda words, error_file: asked.append(words))
    window.actions_["run.again"].trigger()
    assert asked == [["run", "--bench", window.runs.state.bench, "--resume", "--again", "--events"]]


def test_that_a_stopped_plan_can_be_gone_on_with_from_the_menu(window, qtbot, monkeypatch):
    assert not window.actions_["run.go_on"].isEnabled()
    monkeypatch.setenv("FAKE_HOLD", "1")
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.state.index == 1)
    assert not window.actions_["run.go_on"].isEnabled()
    window.runs.stop()
    finish(window, qtbot)
    assert window.runs.state.phase == "stopped"
    monkeypatch.delenv("FAKE_HOLD")
    window.actions_["run.go_on"].trigger()
    finish(window, qtbot)
    assert window.runs.state.phase == "finished"


def test_that_results_stay_on_screen_when_going_on_with_them_is_refused(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_END", "crash")
    window.commands.run_demo()
    finish(window, qtbot)
    shown = window.runs.state
    assert shown.phase == "failed"
    monkeypatch.setenv("FAKE_END", "refuse")
    window.actions_["run.go_on"].trigger()
    assert window.runs.state is not shown
    finish(window, qtbot)
    qtbot.waitUntil(lambda: window.runs.state is shown)
    assert window.messages.texts()[0].startswith("The plan did not start: ")
    assert window.actions_["run.go_on"].isEnabled()
    assert window.scorecard.table.model().rowCount() == len(shown.runs)


def test_that_a_plan_that_is_refused_shows_the_core_s_words(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_END", "refuse")
    window.commands.run_demo()
    finish(window, qtbot)
    assert "[load] rates is empty" in window.messages.texts()[0]


def test_that_a_lost_server_makes_the_plots_stale(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_END", "lost")
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.stale)
    assert "the data is old" in window.status.text()
    window.runs.skip()
    finish(window, qtbot)


def test_that_the_draft_runs_with_what_the_form_says(window, qtbot):
    window.experiment.control.chips.edited.emit((48,))
    click(qtbot, get_child(window.experiment, QPushButton, "run"))
    finish(window, qtbot)
    assert list(window.runs.state.runs) == ["baseline @ 12 req/s", "max_num_seqs = 48 @ 12 req/s"]
    folder = Path(window.runs.state.bench).parent
    assert "values = [48]" in (folder / "experiment.toml").read_text()


def test_that_a_problem_disables_run_and_leads_to_its_field(window, qtbot):
    window.editor.edit("x", rates=("fast",))
    assert not window.actions_["run.start"].isEnabled()
    assert get_child(window.experiment, QPushButton, "problem").text() == "⚠ 1 problem"
    click(qtbot, get_child(window.experiment, QPushButton, "problem"))
    load = window.experiment.load
    qtbot.waitUntil(lambda: load.isVisible() and load.field("rates").entry.hasFocus())


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
    qtbot.waitUntil(
        lambda: "50 requests" in window.experiment.workload.field("preview").text(), timeout=10_000
    )


def test_that_closing_during_a_run_asks_and_can_leave_it_running(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_HOLD", "1")
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
    deadline = time.monotonic() + 50
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
    first.docks["insights"].hide()
    first.resize(1200, 700)
    first.close()
    qtbot.waitUntil(lambda: not first.isVisible())
    second = make_window()
    assert second.docks["insights"].isHidden()
    assert second.size().width() <= 1366
    second.actions_["view.tune"].trigger()
    assert not second.docks["insights"].isHidden()


def test_that_a_double_click_on_a_row_shows_its_plots(window, qtbot):
    window.commands.run_demo()
    finish(window, qtbot)
    window.scorecard.run_chosen.emit("baseline @ 12 req/s")
    assert window.plots.chosen == "baseline @ 12 req/s"
    assert "baseline" in window.plots.caption.run.text()


def test_that_dark_and_light_switch_while_the_window_is_open(window, qtbot):
    window.actions_["view.dark"].trigger()
    qtbot.waitUntil(lambda: window.theme.dark)
    background = window.plots.plots[0].view.backgroundBrush().color()
    assert background == window.theme.background
    window.actions_["view.light"].trigger()
    assert not window.theme.dark


def test_that_commands_are_found_by_a_part_of_their_name(window, qtbot):
    window.help_commands.find_command()
    palette = window.findChild(QWidget, "palette")
    qtbot.keyClicks(palette.entry, "arrtune")
    assert palette.found.item(0).text().startswith("Arrange to tune")
    window.docks["insights"].hide()
    qtbot.keyClick(palette.entry, Qt.Key.Key_Return)
    assert not window.docks["insights"].isHidden()


def test_that_about_tells_the_versions(window, qtbot):
    window.help_commands.about()
    box = window.findChild(QMessageBox)
    told = box.text()
    assert "vLLM Workbench 0." in told
    copy = next(button for button in box.buttons() if button.text() == "Copy")
    click(qtbot, copy)
    assert QApplication.clipboard().text() == told
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is None)
