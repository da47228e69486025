"""The window with the real conductor and engine: first start to CSV, a window that is killed, bench files."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit

from ui.app import make_application, make_window
from ui.experiment import Draft
from ui.files.folders import ProfileFolders
from workbench.results import BenchFile

pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support"),
]

MINUTE = 90_000


@pytest.fixture
def window(qtbot, qapp, tmp_path):
    window = make_window(make_application([]), ProfileFolders.under(tmp_path / "profile"))

    def release(window):
        window.runs.client.kill()
        window.closing.may_close = True

    qtbot.addWidget(window, before_close_func=release)
    window.show()
    return window


def test_that_a_first_start_leads_to_a_csv_with_the_mouse_alone(window, qtbot, tmp_path):
    window.settings.change(demo_seconds=5.0)
    qtbot.mouseClick(window.start_page.demo, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.runs.running, timeout=MINUTE)
    state = window.runs.state
    assert state.phase == "finished", window.messages.texts()
    assert [run.status for run in state.runs.values()] == ["done"] * 3
    assert all(len(run.series) > 5 for run in state.runs.values())
    seats = next(run for run in state.runs.values() if run.control == "max_num_seqs")
    baseline = state.baseline_of(seats)
    assert seats.row["completed_rps"] > baseline.row["completed_rps"]
    window.actions_["file.export_csv"].trigger()
    dialog = window.findChild(QFileDialog)
    dialog.selectFile(str(tmp_path / "scorecard.csv"))
    dialog.accept()
    qtbot.waitUntil(lambda: any("Wrote" in text for text in window.messages.texts()), timeout=30_000)
    header, *rows = (tmp_path / "scorecard.csv").read_text().splitlines()
    assert header.startswith("run,offered_rps,completed_rps,ttft_p95_ms,queue_p95_ms,e2e_p95_ms,error_rate")
    assert len(rows) == 3


def press(qtbot, window, key, *modifiers):
    """Wherever the keyboard is."""
    qtbot.keyClick(QApplication.focusWidget() or window, key, *modifiers)


def export_by_keys(qtbot, window, path):
    press(qtbot, window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is not None)
    dialog = window.findChild(QFileDialog)
    entry = dialog.findChild(QLineEdit)
    qtbot.waitUntil(entry.hasFocus)
    # It would pop up at a moment of its own and take the key that is meant for the dialog.
    entry.setCompleter(None)
    entry.selectAll()
    qtbot.keyClicks(entry, str(path))
    qtbot.keyClick(entry, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is None)
    qtbot.waitUntil(lambda: any("Wrote" in text for text in window.messages.texts()), timeout=MINUTE)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_that_a_first_start_leads_to_a_csv_with_the_keyboard_alone(window, qtbot, tmp_path):
    window.settings.change(demo_seconds=6.0)
    window.activateWindow()
    qtbot.waitActive(window)
    press(qtbot, window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.runs.running)
    qtbot.waitUntil(lambda: not window.runs.running, timeout=4 * MINUTE)
    assert window.runs.state.phase == "finished", window.messages.texts()
    export_by_keys(qtbot, window, tmp_path / "keys.csv")
    assert len((tmp_path / "keys.csv").read_text().splitlines()) == 4


@pytest.mark.slow
def test_that_an_experiment_of_one_s_own_leads_to_a_csv_with_the_keyboard_alone(window, qtbot, tmp_path):
    window.editor.begin(Draft(time_scale=8.0, duration_s=8.0, rates=(8.0,)))
    window.activateWindow()
    qtbot.waitActive(window)
    chips = window.experiment.control.chips
    for _ in range(60):
        if chips.entry.hasFocus():
            break
        press(qtbot, window, Qt.Key.Key_Tab)
    assert chips.entry.hasFocus(), "Tab leads to no field for the values"
    for _ in window.editor.draft.values:
        press(qtbot, window, Qt.Key.Key_Backspace)
    qtbot.keyClicks(chips.entry, "24")
    press(qtbot, window, Qt.Key.Key_Return)
    press(qtbot, window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: window.runs.running)
    qtbot.waitUntil(lambda: not window.runs.running, timeout=MINUTE)
    assert window.runs.state.phase == "finished", window.messages.texts()
    export_by_keys(qtbot, window, tmp_path / "keys.csv")
    _header, baseline, variant = (tmp_path / "keys.csv").read_text().splitlines()
    assert baseline.startswith("baseline")
    assert "max_num_seqs,24" in variant


DRIVER = """
import sys
from pathlib import Path
from ui.app import make_application, make_window
from ui.files.folders import ProfileFolders
application = make_application(sys.argv[:1])
window = make_window(application, ProfileFolders.under(Path(sys.argv[1])))
window.show()
window.editor.edit("a", values=(32,), time_scale=8.0, duration_s=16.0, rates=(8.0,))
window.commands.run_plan()
told = []
def tell():
    run = window.runs.state.current_run()
    if run and run.status == "running" and len(run.series) >= 1 and not told:
        told.append(1)
        print(window.runs.client.pid, window.runs.state.bench, flush=True)
window.clock.tick.connect(tell)
application.exec()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_that_killing_the_window_during_a_run_loses_nothing(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(DRIVER), str(tmp_path / "profile")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        text=True,
    )
    with process:
        try:
            pid, bench = process.stdout.readline().split(maxsplit=1)
            conductor = psutil.Process(int(pid))
        finally:
            process.send_signal(signal.SIGKILL)
    conductor.wait(timeout=90)
    wait_until_no_server_is_left(tmp_path)
    with BenchFile.open(Path(bench.strip())) as stored:
        runs = stored.runs()
        assert [run.status for run in runs] == ["done", "done"]
        assert [stored.request_count(run.id) for run in runs] == [
            run.summary["requests"]["scheduled"] for run in runs
        ]


def wait_until_no_server_is_left(folder):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        lines = [" ".join(process.info["cmdline"] or []) for process in psutil.process_iter(["cmdline"])]
        if not any(str(folder) in line for line in lines):
            return
        time.sleep(0.2)
    raise AssertionError("a process of the run is still there")


@pytest.mark.slow
def test_that_a_bench_file_opens_read_only_with_its_plots(window, qtbot, tmp_path):
    window.editor.edit("a", values=(32,), time_scale=12.0, duration_s=16.0, rates=(8.0,))
    window.commands.run_plan()
    qtbot.waitUntil(lambda: not window.runs.running, timeout=MINUTE)
    bench = Path(window.runs.state.bench)
    live = {name: run.row for name, run in window.runs.state.runs.items()}
    before = bench.read_bytes()
    window.documents.open_any(bench)
    qtbot.waitUntil(lambda: window.runs.state.read_only and window.plots.chosen is not None, timeout=20_000)
    state = window.runs.state
    assert {name: run.row["ttft_p95_ms"] for name, run in state.runs.items()} == {
        name: row["ttft_p95_ms"] for name, row in live.items()
    }
    shown = state.runs[window.plots.chosen]
    assert shown.control == "max_num_seqs"
    assert shown.series.last_time() > 10
    assert len(state.baseline_of(shown).series) > 3
    assert bench.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", b"SQLite format 3\0" + b"\1" * 80],
    ids=["empty", "text", "a database's first line"],
)
def test_that_a_file_that_is_no_bench_file_is_refused_in_words(window, qtbot, tmp_path, content):
    path = tmp_path / "bad.bench"
    path.write_bytes(content)
    window.documents.open_any(path)
    qtbot.waitUntil(lambda: any(str(path) in text for text in window.messages.texts()), timeout=20_000)
    assert window.runs.state.phase == "empty"
