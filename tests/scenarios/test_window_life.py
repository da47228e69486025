"""The window as a program that dies and comes back: nothing typed is lost, and what happened is told."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals"),
]

WINDOW = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QPushButton
from ui.app import make_application, run
from ui.files.folders import ProfileFolders
from ui.window.main_window import MainWindow

application = make_application(["window"])

def when_up(act):
    found = [each for each in application.topLevelWidgets() if isinstance(each, MainWindow)]
    if found and found[0].isVisible():
        act(found[0])
    else:
        QTimer.singleShot(50, lambda: when_up(act))

def press(window, text):
    next(each for each in window.messages.findChildren(QPushButton) if each.text() == text).click()

{act}
when_up(act)
sys.exit(run(ProfileFolders.under(Path(sys.argv[1])), None))
"""

EDIT = """
def act(window):
    window.editor.edit("values", values=(48,))
    print("edited", flush=True)
"""

BRING_BACK = """
def act(window):
    print(repr(window.messages.texts()), flush=True)
    press(window, "Restore them")
    print(window.editor.draft.values, window.isWindowModified(), flush=True)
    window.closing.may_close = True
    window.close()
"""


SWITCH = """
from ui.window.window_owner import Windows

def act(window):
    windows = application.findChild(Windows)
    window.settings.change(language="zh_CN")
    window.commands.apply_settings()
    window.destroyed.connect(lambda: print("gone", flush=True))

    def look():
        if windows.window is window or windows._leaving:
            QTimer.singleShot(50, look)
            return
        print(windows.window.docks["scorecard"].windowTitle(), flush=True)
        windows.window.close()

    look()
"""


def start(profile, act):
    code = WINDOW.replace("{act}", textwrap.dedent(act))
    return subprocess.Popen(
        [sys.executable, "-c", code, str(profile)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )


def wait_for(path, seconds=60):
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < deadline, f"{path.name} did not come"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("name", "told"), [("SIGKILL", False), ("SIGSEGV", True)], ids=["killed", "crashed from within"]
)
def test_that_edits_survive_the_window_s_death_and_a_crash_is_told(tmp_path, name, told):
    config = tmp_path / "config"
    first = start(tmp_path, EDIT)
    with first:
        assert first.stdout.readline() == "edited\n"
        wait_for(config / "draft.json")
        first.send_signal(getattr(signal, name))
    assert first.returncode == -getattr(signal, name)
    second = start(tmp_path, BRING_BACK)
    output, errors = second.communicate(timeout=90)
    assert second.returncode == 0, errors
    said, after = output.splitlines()
    assert "Unsaved changes to Sequence limit" in said
    assert ("crashed last time" in said) == told
    assert (config / "crash-last.log").exists() == told
    assert after == "(48,) True"
    assert not (config / "draft.json").exists()
    assert not (config / "crash.log").exists()


def test_that_a_second_start_s_file_is_open_in_the_first_window(tmp_path):
    experiment = tmp_path / "mine.toml"
    experiment.write_text(
        'name = "Mine"\n[target]\nkind = "embedded"\n[control]\nname = "max_num_seqs"\nvalues = [32]\n'
        '[trace]\nsynthetic = "10:10"\n[load]\nrates = [1.0]\nduration_s = 10\n'
    )
    settings = tmp_path / "config" / "settings.json"
    first = start(tmp_path, "def act(window):\n    print('up', flush=True)\n")
    with first:
        try:
            assert first.stdout.readline() == "up\n"
            words = [sys.executable, "-m", "ui", "--profile-dir", str(tmp_path), str(experiment)]
            done = subprocess.run(
                words, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, timeout=60, check=False
            )
            assert done.returncode == 0
            wait_for(settings)
            assert json.loads(settings.read_text())["recent"] == [str(experiment)]
        finally:
            first.terminate()
    assert first.returncode == 0


def test_that_a_language_chosen_in_the_running_program_holds_at_once_and_it_ends_in_order(tmp_path):
    process = start(tmp_path, SWITCH)
    output, errors = process.communicate(timeout=90)
    assert process.returncode == 0, errors
    assert sorted(output.split()) == ["gone", "记分卡"]
    assert "Traceback" not in errors
    assert not (tmp_path / "config" / "crash.log").exists()
