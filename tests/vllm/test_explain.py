"""Where the time of real requests went, from the step record of a real vLLM."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.test_first_run import workbench
from tests.vllm.conftest import local_spec
from tests.vllm.test_experiments import run

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(600)]
Explain = Callable[[dict[str, int], str, str], Any]
OWN_WORK = {"prefill_compute", "decode_compute"}


@pytest.fixture
def explain(tmp_path: Path, build: Path) -> Explain:
    """Measure a real vLLM with these settings under this load; return the ledger of the run."""

    def measure(baseline: dict[str, int], trace: str, load: str) -> Any:
        spec = local_spec()
        env = ", ".join(f"{key} = {json.dumps(value)}" for key, value in spec.env.items())
        path, bench = tmp_path / "run.toml", tmp_path / "run.bench"
        limits = "\n".join(f"{name} = {value}" for name, value in baseline.items())
        path.write_text(f"""
name = "One cause"
[target]
kind = "local"
model = {json.dumps(spec.model)}
executable = {json.dumps(spec.executable)}
args = {json.dumps(spec.args)}
env = {{ {env} }}
record_steps = true
[baseline]
max_model_len = 512
block_size = 32
{limits}
[trace]
synthetic = "{trace}"
[load]
{load}
""")
        done = run(path, bench, "--no-calibrate")
        assert done.returncode == 0, done.stderr
        told = workbench("explain", str(bench), "--all", "--json", "-")
        assert told.returncode == 0, told.stderr
        (ledger,) = json.loads(told.stdout)
        hold_the_sums(ledger)
        return ledger

    return measure


def hold_the_sums(ledger: Any) -> None:
    """Check what holds for every ledger: no part is negative, hardly anything is unexplained."""
    ended = [request for request in ledger["requests"] if request["e2e_ms"] is not None]
    assert len(ended) > 20
    assert all(part["ms"] >= 0 for request in ended for part in request["parts"])
    unexplained = sorted(abs(request["unexplained_ms"]) for request in ended)
    print(f"\n{len(ended)} requests; unexplained at p99 {unexplained[int(0.99 * len(unexplained))]:.3f} ms")
    print({cause: round(ms) for cause, ms in ledger["totals"].items() if ms})
    assert unexplained[int(0.99 * len(unexplained))] <= 2


def largest_wait(ledger: Any) -> str:
    """Return the cause that took most of what was not a request's own work."""
    waits = {cause: ms for cause, ms in ledger["totals"].items() if cause not in OWN_WORK}
    return max(waits, key=waits.__getitem__)


def test_that_one_slot_is_named_as_what_requests_waited_for(explain: Explain) -> None:
    settings = {"max_num_seqs": 1, "max_num_batched_tokens": 512}
    ledger = explain(settings, "64:96", "rates = [5]\nrequests = 60")
    assert largest_wait(ledger) == "sequence_limit"
    assert ledger["what_if"]["changes"] == {"max_num_seqs": 2}
    before, after = (ledger["what_if"][side]["ttft_ms"]["mean"] for side in ("before", "after"))
    assert after < before / 2


def test_that_a_small_token_budget_is_named_as_what_prompts_waited_for(explain: Explain) -> None:
    settings = {"max_num_seqs": 64, "max_num_batched_tokens": 64}
    ledger = explain(settings, "448:4", "concurrency = [48]\nrequests = 240")
    assert largest_wait(ledger) == "token_budget"


def test_that_a_small_pool_is_named_as_what_requests_waited_for(explain: Explain) -> None:
    # 12 blocks hold one request of 383 tokens to its end, so that none is preempted.
    settings = {"max_num_seqs": 32, "max_num_batched_tokens": 512, "num_gpu_blocks_override": 17}
    ledger = explain(settings, "354:29", "concurrency = [12]\nrequests = 120")
    assert largest_wait(ledger) == "kv_blocks"


def test_that_preemption_is_named_where_requests_outgrow_the_pool(explain: Explain) -> None:
    # All 8 begin with a block or two; each ends with 11, and the pool has 40.
    settings = {"max_num_seqs": 8, "max_num_batched_tokens": 512, "num_gpu_blocks_override": 40}
    ledger = explain(settings, "32:300", "concurrency = [8]\nrequests = 64")
    assert largest_wait(ledger) == "preempted_wait"
    assert ledger["totals"]["recompute"] > 0
