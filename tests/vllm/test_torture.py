"""What can happen to a real server: a kernel that refuses, a start broken off, engine or owner killed."""

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Any

import psutil
import pytest

from workbench.dialect import Phase
from workbench.servers import ServerFailedError

pytestmark = [pytest.mark.vllm_full, pytest.mark.timeout(900)]
Start = Callable[..., Any]


def test_that_a_start_broken_off_leaves_nothing(start_real: Start, loop: Any) -> None:
    server = start_real(controls={"max_model_len": 512, "block_size": 32}, wait=False)
    starting = asyncio.run_coroutine_threadsafe(server.begin(), loop.running)
    server.wait_for(Phase.STARTING_ENGINE)
    tree = server.tree()
    starting.cancel()
    server.wait_for_state("stopped")
    assert len(tree) >= 2
    assert server.living(tree) == []


def test_that_a_killed_engine_is_a_failure_and_nothing_is_left(start_real: Start) -> None:
    server = start_real(controls={"max_model_len": 512, "block_size": 32})
    tree = server.tree()
    (engine,) = [one for one in tree if one.name.startswith("VLLM::EngineCor")]
    os.kill(engine.pid, signal.SIGKILL)
    server.wait_for_state("failed")
    assert "the engine died while serving" in server.states[-1][2]
    server.stop()
    assert server.living(tree) == []


def test_that_what_a_killed_owner_left_is_ended_by_the_next_start(
    run_owner: Callable[[], int], start_real: Start
) -> None:
    owner = run_owner()
    orphans = psutil.Process(owner).children(recursive=True)
    assert len(orphans) >= 3
    os.kill(owner, signal.SIGKILL)
    server = start_real(controls={"max_model_len": 512, "block_size": 32})
    assert any("ending what an earlier run left behind" in line for line in server.lines)
    server.stop()
    assert not [one for one in orphans if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


def test_that_a_block_size_the_kernel_refuses_is_told_with_its_fix(start_real: Start) -> None:
    with pytest.raises(ServerFailedError, match=r"can't work with block size 16.*choose another block_size"):
        start_real(controls={"block_size": 16, "max_model_len": 512})
