"""The window as a program: starts, signals, bad command lines, what a crash leaves behind."""

import os
import signal
import subprocess
import sys

import pytest

from tests.scenarios.test_window_life import start as start_window
from ui.window.crash_log import CrashLog


def start(*words, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "ui", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", **environment},
    )


@pytest.fixture
def running(tmp_path):
    """A window that is shown."""
    profile = tmp_path / "profile"
    process = start_window(profile, "def act(window):\n    print('up', flush=True)\n")
    try:
        assert process.stdout.readline() == "up\n"
        yield process, profile
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_that_a_signal_closes_an_idle_window_in_order(running, name):
    process, profile = running
    process.send_signal(getattr(signal, name))
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert (profile / "config" / "layout.json").exists()
    assert not (profile / "config" / "crash.log").exists()


def test_that_the_version_needs_no_screen():
    process = start("--version", QT_QPA_PLATFORM="nonsense")
    output, _ = process.communicate(timeout=60)
    assert output.startswith("vLLM Workbench ")
    assert process.returncode == 0


def test_that_a_profile_folder_that_can_t_be_written_to_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")
    process = start("--profile-dir", tmp_path / "file")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert errors.splitlines()[-1].startswith("error: ")
    assert str(tmp_path / "file") in errors
    assert "Traceback" not in errors


def test_that_what_python_said_at_a_crash_is_kept_for_the_next_start(tmp_path):
    crash = "import faulthandler, sys; from pathlib import Path; from ui.window.crash_log import CrashLog\n"
    crash += "held = CrashLog(Path(sys.argv[1])); held.begin(); faulthandler._sigsegv()"
    subprocess.run([sys.executable, "-c", crash, str(tmp_path)], check=False)
    log = CrashLog(tmp_path)
    assert "Segmentation fault" in log.of_last_time()
    assert log.last.exists()
    assert log.of_last_time() is None
