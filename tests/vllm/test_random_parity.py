"""Fresh random workloads: every step of the embedded scheduler against vLLM's own, in lockstep."""

import os
import secrets
import subprocess
from pathlib import Path

import pytest

from workbench.engine.check import check_file

CASES = 200
SEED = "PARITY_SEED"
"""Set it to see a failure again."""


@pytest.mark.vllm_full
@pytest.mark.timeout(1200)
def test_that_random_workloads_are_decided_as_by_vllms_own_scheduler(build: Path, tmp_path: Path) -> None:
    seed = os.environ.get(SEED) or str(secrets.randbelow(1 << 30))
    python, script = build / "venv" / "bin" / "python", Path(__file__).with_name("real_scheduler.py")
    done = subprocess.run(
        [python, script, build / "tiny-llama", tmp_path, seed, str(CASES)],
        capture_output=True, text=True, timeout=900, check=False,
        env={**os.environ, "VLLM_LOGGING_LEVEL": "ERROR", "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    print(f"{SEED}={seed}: {done.stdout.splitlines()[-1]}")
    verdicts = [check_file(path) for path in sorted(tmp_path.glob("*.json"))]
    assert len(verdicts) > 0.9 * CASES
    assert sum(verdict.steps for verdict in verdicts) > 100 * CASES
    assert [str(verdict) for verdict in verdicts if not verdict.identical] == [], f"{SEED}={seed}"
