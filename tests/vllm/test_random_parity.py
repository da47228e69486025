"""Fresh random workloads: every step of the embedded scheduler against vLLM's own, in lockstep."""

import os
import secrets
from pathlib import Path

import pytest

from workbench.engine import judge
from workbench.servers import GoldenRequest, make_golden

CASES = 200
SEED = "PARITY_SEED"
"""Set it to see a failure again."""


@pytest.mark.vllm_full
@pytest.mark.timeout(1200)
async def test_random_workloads_are_decided_as_by_vllms_own_scheduler(build: Path, tmp_path: Path) -> None:
    seed = os.environ.get(SEED) or str(secrets.randbelow(1 << 30))
    order = GoldenRequest(out=tmp_path, families=False, random=CASES, seed=seed)
    made = await make_golden(str(build / "venv"), order)
    found = judge(tmp_path)
    print(f"{SEED}={seed}: {made.made} cases, {found.steps} steps; {made.endless} without an end")
    assert made.broken == ()
    assert found.cases > 0.9 * CASES
    assert found.records == found.cases
    assert found.steps > 100 * CASES
    assert [str(verdict) for verdict in found.differing] == [], f"{SEED}={seed}"


@pytest.mark.vllm
@pytest.mark.timeout(1200)
async def test_a_few_cases_of_an_installed_vllm_are_decided_alike(build: Path, tmp_path: Path) -> None:
    made = await make_golden(str(build / "venv"), GoldenRequest(out=tmp_path, families=False, random=10))
    found = judge(tmp_path)
    assert (made.broken, made.lacking, made.stubs) == ((), (), ())
    assert (found.differing, found.fitting) == ((), None)
    assert found.records == found.cases == made.made
