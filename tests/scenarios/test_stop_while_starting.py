"""A stop while a server is being started ends what was asked of docker, which may never answer."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the container kind needs Linux"),
]
EXPERIMENT = """
name = "hanging"
kind = "soak"
[target]
kind = "container"
image = "vllm:1"
model = "m"
executable = "{engine}"
[control]
name = "max_num_seqs"
values = []
[trace]
synthetic = "50:8"
[load]
rates = [4]
duration_s = 3
"""


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    engine, path = tmp_path / "docker", tmp_path / "hanging.toml"
    engine.write_text(
        f"#!/bin/sh\nsleep 600 &\necho $! > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/pid\nwait\n"
    )
    engine.chmod(0o755)
    path.write_text(EXPERIMENT.format(engine=engine))
    words = ["run", str(path), "--bench", str(tmp_path / "h.bench"), "--events", "--no-calibrate"]
    conductor = subprocess.Popen(
        [sys.executable, "-m", "workbench", *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with conductor:
        yield conductor
        conductor.kill()


def test_that_a_stop_ends_a_start_that_hangs_with_all_that_it_began(
    hanging: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    place = tmp_path / "pid"
    while not place.exists():
        assert hanging.poll() is None
        time.sleep(0.02)
    began = int(place.read_text())
    assert psutil.pid_exists(began)
    output, _ = hanging.communicate(b'{"command": "stop"}\n')
    last = json.loads(output.splitlines()[-1])
    assert (last["type"], last["status"], hanging.returncode) == ("experiment_finished", "stopped", 1)
    assert not psutil.pid_exists(began) or psutil.Process(began).status() == psutil.STATUS_ZOMBIE
