"""Calibration against a server whose step times are known: the embedded engine with a step model given."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.engine_server import Server, served
from workbench.profiles import StepModel, read_profile

TRUTH = StepModel(a=12000, b=40, c=150, d=0.15, e=0.004)
"""About an RTX 4090's; slow enough for a client on the same machine to tell steps apart."""
SERVED = (
    "--step-model", "a=12000,b=40,c=150,d=0.15,e=0.004", "--max-num-seqs", "32", "--max-num-batched-tokens",
    "2048", "--max-model-len", "8192", "--num-gpu-blocks-override", "4000", "--time-scale", "0.5",
)  # fmt: skip
LATE_MS = 5.0
TOLERANCES = {"a": 0.05, "b": 0.10, "c": 0.15, "d": 0.15}
"""What two processors allow that serve, load and measure at once; b and e can trade a little."""


def calibrate(server: Server, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [
            sys.executable, "-m", "workbench", "engine", "calibrate", server.url, "--name", "known/M/tp1",
            "--json", "-", *arguments,
        ],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    print(found["profile"]["step_model"], found["profile"]["known_error"])
    return found


def require_time_kept(server: Server) -> None:
    """A machine that is too busy to start steps in time measures itself, not the engine."""
    late = server.client.get("/server_info").json()["step_start_lateness_ms"]["p99"] * 0.5
    if late > LATE_MS:
        pytest.skip(f"steps started {late:.0f} ms late at p99: this machine is too busy")


def error_pct(found: dict[str, Any], metric: str) -> float:
    compared = found["hold_out"][metric]
    return 100 * (compared["predicted"]["mean"] / compared["measured"]["mean"] - 1)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_that_a_known_step_model_is_found_from_outside_and_predicts_a_run_held_out(tmp_path: Path):
    with served(*SERVED) as server:
        found = calibrate(server, "--out", str(tmp_path / "known.json"))
        require_time_kept(server)
    profile = read_profile(tmp_path / "known.json")
    assert profile.kind == "estimated"  # whatever is measured on a simulation
    assert (profile.num_gpu_blocks, profile.max_num_seqs, profile.max_num_batched_tokens) == (4000, 32, 2048)
    assert abs(error_pct(found, "ttft_ms")) < 5
    assert abs(error_pct(found, "tpot_ms")) < 5
    for name, tolerance in TOLERANCES.items():
        assert getattr(profile.step_model, name) == pytest.approx(getattr(TRUTH, name), rel=tolerance), name


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_that_a_step_record_gives_the_model_exactly(tmp_path: Path):
    steps = tmp_path / "steps.jsonl"
    with served(*SERVED, "--log-steps", str(steps)) as server:
        found = calibrate(
            server, "--minutes", "0.5", "--log", str(steps), "--out", str(tmp_path / "known.json")
        )
    assert "from the server's own steps" in found["profile"]["source"]
    model = read_profile(tmp_path / "known.json").step_model
    for name in "abcde":
        assert getattr(model, name) == pytest.approx(getattr(TRUTH, name), rel=0.01), name
