"""The trial of a server in a process of its own: what it prints, to the server's end."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.servers.conftest import vllm_script  # noqa: F401 - a fixture of another room's

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a first line")

EXPERIMENT = """
name = "trial"
[target]
kind = "local"
model = "ok"
executable = "{script}"
[baseline]
max_num_seqs = 4
[control]
name = "max_num_seqs"
values = [8]
[trace]
synthetic = "8:8"
[load]
rates = [1]
requests = 1
"""


def test_that_a_trial_tells_what_the_servers_log_says_of_its_memory(vllm_script: Path) -> None:  # noqa: F811 - the fixture
    order = EXPERIMENT.format(script=vllm_script).encode() + b"\0"
    # Standard input stays open until it has ended: its end would end the trial.
    process = subprocess.Popen(
        [sys.executable, "-m", "ui.conductor.probe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(order)
        process.stdin.flush()
        said = [json.loads(line) for line in process.stdout]
    (memory,) = [line["memory"] for line in said if "memory" in line]
    assert (memory["server"]["kv_tokens"], memory["server"]["max_concurrency"]) == (1600, 3.12)
    # Its model is no folder here, so there is no estimate, and why is said.
    assert memory["estimate"] is None
    assert memory["why"].startswith("ok: no config.json on this machine")
    assert {"state": "stopped"}.items() <= said[-1].items()
    assert process.returncode == 0
