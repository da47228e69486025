"""The tests' own ground: a worker that falls over costs one test, and no one waits for ever."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

TESTS = """
import os
import pathlib
import time
import pytest

HERE = pathlib.Path(__file__).parent

@pytest.mark.parametrize("number", range(2))
def test_at_once(number):
    (HERE / f"runs{number}").touch()
    while not (HERE / f"runs{1 - number}").exists():
        time.sleep(0.01)
    os.kill(os.getpid(), 9)

@pytest.mark.parametrize("number", range(60))
def test_alone(number):
    if number == 45:
        os.kill(os.getpid(), 9)

@pytest.mark.parametrize("number", range(12))
@pytest.mark.xdist_group("group")
def test_together(number):
    if number == 4:
        os.kill(os.getpid(), 9)
"""


@pytest.mark.timeout(300)
def test_that_a_crashed_worker_fails_one_test_and_all_others_run(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    words = ["-n", "2", "--dist", "loadgroup", "-p", "tests.workers", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=290,
    )  # fmt: skip
    assert re.search(r"\b4 failed, 70 passed\b", done.stdout), done.stdout + done.stderr
    # In the order in which they fell, which is the machine's affair.
    fell = ["test_alone[45]", "test_at_once[0]", "test_at_once[1]", "test_together[4]"]
    assert sorted(re.findall(r"FAILED \S+::(\S+)", done.stdout)) == fell
