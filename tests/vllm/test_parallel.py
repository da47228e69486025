"""A real vLLM of two engines, with data parallelism: each decides for itself, records it and takes limits."""

import asyncio
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.vllm.conftest import Loop, assert_nothing_scattered, local_spec, scattered
from tests.vllm.test_life import complete
from workbench.servers import step_record_files
from workbench.vllm_dialect import StepLimitChanged, StepScheduled, read_steps

pytestmark = [pytest.mark.vllm_full, pytest.mark.timeout(900)]
CONTROLS = {"max_model_len": 512, "block_size": 32, "num_gpu_blocks_override": 60, "max_num_seqs": 4}
REQUESTS = 12


def test_that_both_engines_record_their_steps_and_take_new_limits(
    start_real: Callable[..., Any], loop: Loop
) -> None:
    before = scattered()
    spec = local_spec()
    # Bottleneck to one processor each, two engines would need two that are free.
    environment = {name: value for name, value in spec.env.items() if name != "VLLM_CPU_OMP_THREADS_BIND"}
    server = start_real(
        controls=CONTROLS,
        args=[*spec.args, "--data-parallel-size", "2"],
        env=environment,
        record_steps=True,
        live_limits=True,
    )
    assert loop.call(server.server.set_limit("max_num_active_seqs", 2)) == 4

    async def load() -> None:
        prompts = [[100 + number] * 50 for number in range(REQUESTS)]
        await asyncio.gather(*(asyncio.to_thread(complete, server.url, prompt, 20) for prompt in prompts))

    loop.call(load())
    effective = server.effective()
    assert effective.arguments["data_parallel_size"] == 2
    assert (effective.num_gpu_blocks, effective.kv_cache_tokens) == (60, 1920)
    time.sleep(1.0)
    files = step_record_files(server.server.steps_file)
    assert [file.suffix for file in files] == [".jsonl", ".1"]
    ended = Counter[str]()
    for file in files:
        lines = list(read_steps(file.read_bytes().splitlines(), where=file.name))
        calls = [line for line in lines if isinstance(line, StepScheduled)]
        assert max(len(call.sched) for call in calls) == 2
        assert [line.new for line in lines if isinstance(line, StepLimitChanged)] == [2]
        ended[file.suffix] = sum(len(call.new) for call in calls)
        words = [sys.executable, "-m", "workbench", "engine", "check", str(file)]
        assert subprocess.run(words, check=False).returncode == 0
    assert ended.total() == REQUESTS
    assert min(ended.values()) > 0
    server.stop()
    assert_nothing_scattered(before)
