"""Stored results beside the form: its settings are theirs, or are said not to be."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QLabel, QPushButton

from tests.unit.ui.children import get_child
from ui.commands import result_commands
from ui.live import COLUMNS, LiveState, RunView
from workbench.experiments.spec.read_experiments import BASE
from workbench.results import BenchFile

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
    qtbot.waitUntil(lambda: any("not those of the results" in text for text in window.messages.texts()))
    assert window.editor.draft.name == "Mine"
    replace = next(b for b in window.messages.findChildren(QPushButton) if "results" in b.text())
    qtbot.mouseClick(replace, Qt.MouseButton.LeftButton)
    assert window.editor.draft.name == "Measured"
    window.editor.undo()
    assert window.editor.draft.name == "Mine"


def test_that_what_was_offered_of_the_plan_before_goes_when_other_results_are_opened(
    window, qtbot, bench, monkeypatch
):
    monkeypatch.setenv("FAKE_END", "late")
    window.commands.run_demo()
    qtbot.waitUntil(lambda: any(text.startswith("Invalid runs") for text in window.messages.texts()))
    window.commands.results.open_bench(bench)
    qtbot.waitUntil(lambda: window.runs.state.bench == "b.bench")
    assert not any(text.startswith("Invalid runs") for text in window.messages.texts())


def test_that_results_that_were_read_while_a_plan_began_do_not_take_its_place(
    window, qtbot, bench, monkeypatch
):
    monkeypatch.setenv("FAKE_HOLD", "1")
    window.commands.results.open_bench(bench)
    window.commands.run_demo()
    plan = window.runs.state
    qtbot.waitUntil(lambda: any("plan is running" in text for text in window.messages.texts()))
    assert window.runs.state is plan


def test_that_a_run_of_another_file_can_be_drawn_behind(window, qtbot, monkeypatch):
    window.commands.run_demo()
    qtbot.waitUntil(lambda: not window.runs.running, timeout=60_000)
    older = LiveState(phase="opened", read_only=True)
    for name in ("baseline @ 12 req/s", "max_num_seqs = 32 @ 12 req/s"):
        older.runs[name] = RunView(name, row={"run": name})

    def fill(path, runs):
        for t in (1.0, 2.0):
            runs[0].series.append_values(t, [9.0 for _ in COLUMNS])

    monkeypatch.setattr("ui.files.bench_reader.read_bench", lambda path: older)
    monkeypatch.setattr("ui.files.bench_reader.fill_series", fill)
    window.commands.overlay.use_file(Path("last-week.bench"))
    qtbot.waitUntil(lambda: window.findChild(QInputDialog) is not None)
    dialog = window.findChild(QInputDialog)
    assert dialog.textValue() == window.plots.shown_run.name
    dialog.accept()
    qtbot.waitUntil(lambda: "last-week" in window.plots.behind().name)
    assert "last-week" in get_child(window, QLabel, "legend").text()
    window.plots.draw_all()
    assert window.plots.shown[0].behind_curves[1].getData()[1][-1] == 9.0
    window.actions_["view.baseline"].trigger()
    assert window.plots.behind().is_baseline


def with_trace(path, base=None):
    text = TEXT.replace('synthetic = "100:20"', 'file = "mine.trace.jsonl"')
    with BenchFile.create(path) as file:
        file.add_experiment("Measured", text)
        if base is not None:
            file.set_meta(BASE, str(base))
    return path


@pytest.mark.parametrize("recorded", [True, False])
def test_that_the_form_finds_the_trace_of_results_opened_from_another_folder(
    window, qtbot, tmp_path, recorded
):
    (tmp_path / "then").mkdir()
    (tmp_path / "results").mkdir()
    # Where the file says nothing, as of an earlier version, it is sought beside the results.
    trace = tmp_path / ("then" if recorded else "results") / "mine.trace.jsonl"
    trace.write_text('{"timestamp": 0, "input_length": 10, "output_length": 2}\n')
    bench = with_trace(tmp_path / "results" / "b.bench", tmp_path / "then" if recorded else None)
    window.commands.results.open_bench(bench)
    qtbot.waitUntil(lambda: window.editor.draft.name == "Measured")
    assert window.editor.draft.trace_file == str(trace)
    assert "trace_file" not in window.editor.problems


def test_that_a_trace_that_is_nowhere_any_more_is_said_to_be_missing(window, qtbot, tmp_path):
    window.commands.results.open_bench(with_trace(tmp_path / "b.bench", tmp_path / "gone"))
    qtbot.waitUntil(lambda: window.editor.draft.name == "Measured")
    assert "mine.trace.jsonl" in window.editor.problems["trace_file"]


def test_that_the_form_takes_the_plan_s_settings_where_another_tool_s_results_were_added(
    window, qtbot, tmp_path
):
    path = tmp_path / "both.bench"
    with BenchFile.create(path) as file:
        file.add_experiment("Measured", TEXT)
        file.add_experiment("GuideLLM: theirs.json", "")
    window.commands.results.open_bench(path)
    qtbot.waitUntil(lambda: window.editor.draft.name == "Measured")
