"""A plan of one process is followed by a second and stopped by a third."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.scenarios.test_first_run import experiment_file, stored

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no Unix sockets")


@contextmanager
def started(*words: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A process of the command line that is ended with the context."""
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", *words],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with process:
        try:
            yield process
        finally:
            process.terminate()


def kind_of_line(process: "subprocess.Popen[bytes]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()
    return str(json.loads(line)["type"])


@pytest.mark.slow
@pytest.mark.timeout(150)
def test_that_a_plan_is_followed_and_stopped_by_other_processes(tmp_path: Path) -> None:
    path = experiment_file(tmp_path, values="[16]", duration_s="600", time_scale="4.0", rate="5")
    bench = tmp_path / "a.bench"
    with started("run", str(path), "--bench", str(bench), "--events") as plan:
        while kind_of_line(plan) != "run_started":
            pass
        # A pipe that nobody reads is full after half a minute, and would hold the plan up.
        printed: list[bytes] = []
        reader = threading.Thread(target=lambda: printed.extend(plan.stdout or ()))
        reader.start()
        with started("run", "--follow", str(bench), "--events") as follower:
            assert kind_of_line(follower) == "experiment_started"
            while kind_of_line(follower) != "sample":
                pass
            # A follower that is killed takes nothing with it.
            follower.kill()
        assert plan.poll() is None
        with started("run", "--follow", str(bench), "--events") as follower:
            assert kind_of_line(follower) == "experiment_started"
            with started("run", "--stop", str(bench)) as stopping:
                out, err = stopping.communicate()
            assert stopping.returncode == 0, err
            assert out.decode() == f"stopped: the plan of {bench.resolve()} has ended\n"
            followed, _ = follower.communicate()
        last = json.loads(followed.splitlines()[-1])
        assert (last["type"], last["status"], follower.returncode) == ("experiment_finished", "stopped", 1)
        reader.join()
        assert json.loads(printed[-1]) == last
        assert plan.wait() == 1
    assert stored(bench, "SELECT status FROM experiments") == [("stopped",)]
    assert stored(bench, "SELECT status FROM runs") == [("partial",)]
