"""Our stat logger inside a real vLLM: each step's figures, each request's times, and what it costs."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.vllm.conftest import Loop, RealServer

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(900)]
CLIENTS, OUTPUT = 24, 150
MOST_US_A_STEP = 500.0
"""Against blunders only: the figure is printed, and depends on what else the machine does."""


def lines_of(path: Path, begin: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes()[begin:].splitlines()]


async def ask(client: httpx.AsyncClient, number: int) -> None:
    prompt = [100 + (7 * number + place) % 1900 for place in range(60)]
    body = {"model": "tiny", "prompt": prompt, "max_tokens": OUTPUT, "ignore_eos": True}
    answer = await client.post("/v1/completions", json=body, headers={"X-Request-Id": f"told-{number}"})
    assert answer.json()["usage"]["completion_tokens"] == OUTPUT


def test_that_steps_and_the_times_of_requests_are_told_unbucketed(real: RealServer, loop: Loop) -> None:
    path = real.server.steps_file
    assert path is not None
    begin = path.stat().st_size

    async def work() -> None:
        async with httpx.AsyncClient(base_url=real.url, trust_env=False, timeout=120.0) as client:
            await asyncio.gather(*(ask(client, number) for number in range(CLIENTS)))

    loop.call(work())
    deadline = time.monotonic() + 10
    while True:
        lines = lines_of(path, begin)
        ended = [one for line in lines for one in line.get("finished", ())]
        if len(ended) == CLIENTS or time.monotonic() > deadline:
            break
        time.sleep(0.2)
    steps = [line for line in lines if line["ev"] == "stats"]
    assert lines_of(path, 0)[0] == {"ev": "header", "version": "0.32.0", "engine": 0}
    assert {one["id"] for one in ended} == {f"cmpl-told-{n}-0" for n in range(CLIENTS)}
    assert {one["reason"] for one in ended} == {"length"}
    assert {one["generation_tokens"] for one in ended} == {OUTPUT}
    assert all(0 <= one["queue_s"] < one["e2e_s"] for one in ended)
    # Sixteen seats for twenty-four: some wait for one.
    assert max(step["running"] for step in steps) == 16
    assert max(one["queue_s"] for one in ended) > 10 * min(one["queue_s"] for one in ended)
    assert sum(step["generation_tokens"] or 0 for step in steps) == CLIENTS * OUTPUT
    assert sum(len(step["ttft_s"]) for step in steps) == CLIENTS
    preempted = sum(step["preempted"] or 0 for step in steps)
    assert preempted == sum(one["preemptions"] for one in ended)
    assert not [line for line in lines if line["ev"] == "dropped"]
    print(f"\n{len(steps)} steps, {preempted} preemptions, KV up to {max(s['kv_usage'] for s in steps):.0%}")


def test_that_the_stat_logger_is_cheap(real: RealServer) -> None:
    assert real.server.steps_file is not None
    costs = [line for line in lines_of(real.server.steps_file, 0) if line["ev"] == "cost"]
    last = costs[-1]
    own, writer = (last[name] / last["calls"] * 1e6 for name in ("cpu_s", "writer_cpu_s"))
    print(
        f"\nstat logger: {own:.1f} µs in the API server's thread and {writer:.1f} µs in the writer's a step, "
        f"over {last['calls']} steps"
    )
    assert own + writer < MOST_US_A_STEP
