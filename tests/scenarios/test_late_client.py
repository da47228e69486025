"""Rule R8 on a run of the embedded engine: a load worker that is held up makes its run invalid."""

import time
from pathlib import Path

import psutil
import pytest

from tests.scenarios.test_first_run import Conduct, conduct, experiment_file

__all__ = ["conduct"]

pytestmark = pytest.mark.xdist_group("processes")


def test_that_a_load_worker_that_stood_still_is_found_in_its_run(tmp_path: Path, conduct: Conduct) -> None:
    conducting = conduct(experiment_file(tmp_path, rate="20", duration_s="6", time_scale="1.0", values="[8]"))
    conducting.wait_for_completed(1)
    children = psutil.Process(conducting.process.pid).children(recursive=True)
    (worker,) = [child for child in children if "workbench.load.worker" in child.cmdline()]
    worker.suspend()
    time.sleep(1.0)
    worker.resume()
    row = conducting.wait_for("run_finished")["row"]
    assert row["valid"] is False
    assert "client-bound: client delay p99 " in row["reasons"]
    diagnosis = conducting.wait_for("diagnosis")
    assert any(said.startswith("Client-bound: client delay p99 ") for said in diagnosis["sentences"])
    # What makes the run invalid comes before any control.
    assert diagnosis["change"]["control"] is None
    assert "load workers" in diagnosis["next_change"]
    conducting.say("stop")
    conducting.wait_for("experiment_finished")
    conducting.process.wait(60)
