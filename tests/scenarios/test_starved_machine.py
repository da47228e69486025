"""A real run beside busy loops: no verdict is drawn from it, and the row says what others took."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenarios.test_first_run import experiment_file

SPIN = "import time; end = time.monotonic() + 120\nwhile time.monotonic() < end: pass"


@pytest.fixture
def busy_loops() -> Iterator[None]:
    """As many as there are cores."""
    loops = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(os.cpu_count() or 1)]
    yield
    for loop in loops:
        loop.kill()
        loop.wait()


@pytest.mark.slow
@pytest.mark.usefixtures("busy_loops")
def test_a_run_beside_busy_loops_is_invalid_and_names_the_others_share(tmp_path: Path) -> None:
    path = experiment_file(tmp_path, time_scale="1.0", duration_s="6", rate="2", values="[8]")
    # Without the quiet machine that tests inject.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "run", str(path), "--out", str(tmp_path), "--events"],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        stdin=subprocess.DEVNULL,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (first, *_) = [event["row"] for event in events if event["type"] == "run_finished"]
    assert first["valid"] is False
    assert "machine shared: other processes took " in first["reasons"]
    assert first["host_others_cpu"] > 0.1
    (finished,) = [event for event in events if event["type"] == "experiment_finished"]
    assert finished["choice"]["recommended"] is None
    (table,) = tmp_path.glob("*.csv")
    with table.open(newline="") as file:
        assert {row["valid"] for row in csv.DictReader(file)} == {"false"}
