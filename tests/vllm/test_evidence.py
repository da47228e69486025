"""What a run on a real vLLM of ours leaves: a pack that verifies, no secret, a command that can be pasted."""

import json
import os
import signal
import subprocess
import time
from itertools import chain
from pathlib import Path

import pytest

from tests.scenarios.test_canary import contents, export_everything, giving_away
from tests.vllm.conftest import local_spec
from tests.vllm.test_experiments import run
from workbench.base import MASK
from workbench.results import BenchFile
from workbench.servers.command import FINE_BUCKETS

CANARIES = {"args": "zqjvllmargs7f3aq", "api_key": "zqjvllmkey7f3aq", "env": "zqjvllmenv7f3aq"}


def experiment_file(folder: Path) -> Path:
    """Ten seconds on one configuration, with secrets in the words and variables of the server."""
    spec = local_spec()
    overrides = json.dumps({"note_api_key": CANARIES["args"]})
    env = {**spec.env, "HF_TOKEN": CANARIES["env"]}
    path = folder / "soak.toml"
    path.write_text(f"""
name = "Evidence"
kind = "soak"
[target]
kind = "local"
model = {json.dumps(spec.model)}
executable = {json.dumps(spec.executable)}
api_key_env = "MY_SERVER_KEY"
args = {json.dumps([*spec.args, "--hf-overrides", overrides])}
env = {{ {", ".join(f"{key} = {json.dumps(value)}" for key, value in env.items())} }}
[baseline]
max_model_len = 512
max_num_seqs = 16
[control]
name = "max_num_seqs"
values = []
[trace]
synthetic = "64:32"
[load]
rates = [2]
duration_s = 10
""")
    return path


def said_when_pasted(command: str, until: str, timeout_s: float) -> str:
    """What the command prints when a shell is given it, up to a line that holds `until`; then it is ended."""
    with subprocess.Popen(
        ["bash", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        said, deadline = "", time.monotonic() + timeout_s
        try:
            for line in process.stdout:
                said += line
                if until in line or time.monotonic() > deadline:
                    break
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.stdout.close()
    return said


@pytest.mark.vllm
@pytest.mark.timeout(1200)
def test_that_the_pack_of_a_vllm_that_we_started_verifies_and_its_command_can_be_pasted(
    build: Path,  # without a build there is nothing to be run
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left = tmp_path / "left"
    left.mkdir()
    monkeypatch.setenv("MY_SERVER_KEY", CANARIES["api_key"])
    bench = left / "soak.bench"
    done = run(experiment_file(tmp_path), bench, "--no-calibrate", "--events")
    assert done.returncode == 0, done.stderr
    export_everything(bench, left)
    said = [("said", f"{done.stdout}{done.stderr}".encode())]
    assert giving_away(chain(said, contents(left)), CANARIES) == []
    with BenchFile.open(bench) as file:
        (entry,) = file.runs()
    assert entry.command is not None
    assert entry.command == (entry.summary or {})["command"]
    assert json.dumps(FINE_BUCKETS, separators=(",", ":")) in entry.command
    assert f'{{"note_api_key": "{MASK}"}}' in entry.command
    # By then vLLM has read all of its words.
    pasted = said_when_pasted(entry.command, until="non-default args", timeout_s=300)
    assert "'time_to_first_token': [0.001, " in pasted, pasted[-2000:]
    assert "'note_api_key': '" in pasted
