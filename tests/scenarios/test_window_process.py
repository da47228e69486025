"""The window as a program: starts, second starts, signals, bad command lines, what a crash leaves behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

from ui.crash_log import CrashLog

pytestmark = pytest.mark.timeout(120)


def start(*words, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "ui", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", **environment},
    )


def wait_until_up(profile, seconds=60):
    deadline = time.monotonic() + seconds
    while not (profile / "config" / "crash.log").exists():
        assert time.monotonic() < deadline, "the window did not come up"
        time.sleep(0.05)


@pytest.fixture
def running(tmp_path):
    profile = tmp_path / "profile"
    process = start("--profile-dir", profile)
    try:
        wait_until_up(profile)
        time.sleep(1.0)
        yield process, profile
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_that_a_signal_closes_an_idle_window_in_order(running, name):
    process, profile = running
    process.send_signal(getattr(signal, name))
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert (profile / "config" / "layout.json").exists()
    assert not (profile / "config" / "crash.log").exists()


def test_that_a_second_start_hands_its_file_to_the_first_window(running, tmp_path):
    process, profile = running
    bad = tmp_path / "bad.toml"
    bad.write_text('name = "x"\nsurprise = 1\n')
    second = start("--profile-dir", profile, bad)
    _, errors = second.communicate(timeout=60)
    assert second.returncode == 0, errors
    assert process.poll() is None


def test_that_the_version_needs_no_screen():
    process = start("--version", QT_QPA_PLATFORM="nonsense")
    output, _ = process.communicate(timeout=30)
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
    crash = "import faulthandler, sys; from pathlib import Path; from ui.crash_log import CrashLog\n"
    crash += "held = CrashLog(Path(sys.argv[1])); held.begin(); faulthandler._sigsegv()"
    subprocess.run([sys.executable, "-c", crash, str(tmp_path)], check=False)
    log = CrashLog(tmp_path)
    assert "Segmentation fault" in log.of_last_time()
    assert log.last.exists()
    assert log.of_last_time() is None
