"""Before a session on a server that is no simulation of ours, the load generator's own floor is measured."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import workbench
from tests.scenarios.engine_server import FAST, Server
from workbench.load.calibration import calibrate as calibration
from workbench.load.calibration import rates as levels


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """A moment of load that a busy machine can't fail."""
    monkeypatch.setattr(calibration, "QUICK_RATES", (10_000,))
    monkeypatch.setattr(calibration, "QUICK_S", 0.1)
    monkeypatch.setattr(calibration, "_HOPELESS_DELAY_MS", 1e9)
    monkeypatch.setattr(calibration, "_DRAIN_S", 60.0)
    monkeypatch.setattr(levels, "MOST_ERROR_MS", 1e9)


@pytest.fixture
def served() -> Iterator[Server]:
    server = Server(*FAST)
    yield server
    server.end()


def session(folder: Path, url: str, name: str, *flags: str) -> list[dict[str, Any]]:
    path = folder / f"{name}.toml"
    path.write_text(f"""
name = "{name}"
kind = "soak"
[target]
kind = "attached"
url = "{url}"
[control]
name = "max_in_flight"
values = []
[trace]
synthetic = "100:10"
[load]
rates = [10]
duration_s = 1
""")
    done = workbench("run", str(path), "--bench", str(folder / f"{name}.bench"), "--events", *flags)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def states(events: list[dict[str, Any]]) -> list[str]:
    return [event["state"] for event in events if event["type"] == "calibration"]


@pytest.mark.slow
def test_that_the_first_session_calibrates_the_next_keeps_it_and_a_flag_leaves_it_out(
    tmp_path: Path, served: Server
) -> None:
    assert states(session(tmp_path, served.url, "left-out", "--no-calibrate")) == []
    first = session(tmp_path, served.url, "first")
    assert states(first) == ["running", "done"]
    kinds = [event["type"] for event in first]
    assert kinds.index("calibration") > kinds.index("experiment_started")
    assert kinds.index("calibration") < kinds.index("run_started")
    (row,) = [event["row"] for event in first if event["type"] == "run_finished"]
    assert row["client_floor_ttft_ms"] > 0
    second = session(tmp_path, served.url, "second")
    assert states(second) == ["kept"]
    (again,) = [event["row"] for event in second if event["type"] == "run_finished"]
    assert again["calibrated_utc"] == row["calibrated_utc"]
