"""Where the time of real requests went, from the step record of a real vLLM."""

import json
from pathlib import Path

import pytest

from tests.scenarios.test_first_run import workbench
from tests.vllm.conftest import local_spec
from tests.vllm.test_experiments import run

pytestmark = [pytest.mark.vllm_full, pytest.mark.timeout(600)]


def test_that_one_slot_is_named_as_what_requests_waited_for(tmp_path: Path, build: Path) -> None:
    spec = local_spec()
    env = ", ".join(f"{key} = {json.dumps(value)}" for key, value in spec.env.items())
    path, bench = tmp_path / "slot.toml", tmp_path / "slot.bench"
    path.write_text(f"""
name = "One slot"
[target]
kind = "local"
model = {json.dumps(spec.model)}
executable = {json.dumps(spec.executable)}
args = {json.dumps(spec.args)}
env = {{ {env} }}
record_steps = true
[baseline]
max_model_len = 512
max_num_seqs = 1
max_num_batched_tokens = 512
[trace]
synthetic = "64:96"
[load]
rates = [5]
requests = 60
""")
    done = run(path, bench, "--no-calibrate")
    assert done.returncode == 0, done.stderr
    told = workbench("explain", str(bench), "--all", "--json", "-")
    assert told.returncode == 0, told.stderr
    (ledger,) = json.loads(told.stdout)
    ended = [request for request in ledger["requests"] if request["e2e_ms"] is not None]
    assert len(ended) > 20
    unexplained = sorted(abs(request["unexplained_ms"]) for request in ended)
    assert unexplained[int(0.99 * len(unexplained))] <= 2
    assert all(part["ms"] >= 0 for request in ended for part in request["parts"])
    waits = {cause: ms for cause, ms in ledger["totals"].items() if not cause.endswith("_compute")}
    assert max(waits, key=waits.__getitem__) == "sequence_limit"
    assert ledger["what_if"]["changes"] == {"max_num_seqs": 2}
    before, after = (ledger["what_if"][side]["ttft_ms"]["mean"] for side in ("before", "after"))
    assert after < before / 2
