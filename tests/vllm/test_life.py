"""A real vLLM under our launcher: phases of its start, what it says it uses, its metrics, a failed start."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from workbench.base import now
from workbench.controls import effective_mismatches
from workbench.results import Sample
from workbench.servers import LifecycleState, ServerFailedError, TargetSpec, find_orphans, make_server
from workbench.telemetry import MetricsPage, Sampler, server_delta
from workbench.vllm_dialect import Phase, metrics

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(600)]
Start = Callable[..., Any]
MOST_WAVES = 10


def complete(url: str, prompt: list[int], output: int, **more: Any) -> httpx.Response:
    body = {"model": "tiny", "prompt": prompt, "max_tokens": output, "ignore_eos": True, **more}
    return httpx.post(f"{url}/v1/completions", json=body, timeout=120.0, trust_env=False)


def page(url: str) -> MetricsPage:
    return MetricsPage.parse(httpx.get(f"{url}/metrics", trust_env=False).text)


def test_that_the_phases_of_a_start_are_told_in_order(real: Any) -> None:
    details = [detail for _, state, detail in real.states if state == "starting"]
    expected = [
        Phase.IMPORTING,
        Phase.READING_MODEL,
        Phase.STARTING_ENGINE,
        Phase.LOADING_WEIGHTS,
        Phase.SIZING_CACHE,
        Phase.STARTING_HTTP,
    ]
    assert [detail for detail in details if "(" not in detail] == [str(phase.message) for phase in expected]
    assert real.server.state is LifecycleState.READY
    assert any("CPU KV cache size: 1,920 tokens" in line for line in real.lines)


def test_that_the_processes_of_a_server_are_known(real: Any) -> None:
    names = [one.name for one in real.tree()]
    assert names[0].startswith("vllm")
    assert any(name.startswith("VLLM::EngineCor") for name in names)
    assert any(name.startswith("VLLM::Worker") for name in names)
    assert find_orphans() == []


def test_that_what_is_effective_is_what_was_asked(real: Any) -> None:
    effective = real.effective()
    asked = {"max_model_len": 1024, "max_num_seqs": 16, "max_num_batched_tokens": 512, "block_size": 32}
    assert effective_mismatches(asked, effective.arguments) == []
    assert set(asked) <= set(effective.arguments)
    assert (effective.version, effective.model, effective.max_model_len) == ("0.32.0", "tiny", 1024)
    assert (effective.num_gpu_blocks, effective.block_size, effective.kv_cache_tokens) == (60, 32, 1920)
    assert effective.arguments["enable_chunked_prefill"] is True
    # The CPU platform forces synchronous scheduling.
    assert effective.arguments["async_scheduling"] is False
    assert effective.vocab_size == 2048
    assert not effective.simulated
    assert effective.system["torch_version"].startswith("2.")


def test_that_the_counters_of_a_request_are_what_it_was(real: Any) -> None:
    before = page(real.url)
    answer = complete(real.url, list(range(100, 150)), 20).json()
    after = page(real.url)
    change = server_delta(before, after)
    assert answer["usage"]["completion_tokens"] == 20
    assert (change.prompt_tokens, change.generation_tokens, change.succeeded) == (50.0, 20.0, 1.0)
    assert change.queue is not None
    assert change.queue.count == 1
    # Our finer buckets took the place of vLLM's: its own can't tell times below 0.3 s.
    assert change.queue.edges[0] == 0.001
    assert after.missing() == ()
    assert answer["metrics"]["queue_time_ms"] >= 0


def test_that_pressure_on_the_cache_is_seen_by_the_sampler(real: Any) -> None:
    """In waves of requests until it is: on a busy machine one may pass between two scrapes."""
    taken: list[Sample] = []

    def most(name: str) -> float:
        return max((getattr(sample, name) or 0.0 for sample in taken), default=0.0)

    async def wave() -> None:
        stop = asyncio.Event()
        sampler = Sampler(real.url, zero=now())
        sampling = asyncio.create_task(sampler.run(taken.extend, stop))
        prompts = [[100 + (7 * number + place) % 1900 for place in range(200)] for number in range(12)]
        sending = (asyncio.to_thread(complete, real.url, prompt, 200) for prompt in prompts)
        answers = await asyncio.gather(*sending)
        stop.set()
        await sampling
        await sampler.close()
        assert {answer.status_code for answer in answers} == {200}

    before, waves = page(real.url), 0
    while waves < MOST_WAVES and not (
        most("running") >= 3 and most("waiting") >= 1 and most("kv_usage") > 0.7
    ):
        waves += 1
        asyncio.run(wave())
    assert most("running") >= 3
    assert most("waiting") >= 1
    assert most("kv_usage") > 0.7
    change = server_delta(before, page(real.url))
    assert change.succeeded == 12 * waves
    preempted = change.histograms[metrics.REQUEST_PREEMPTIONS.name]
    assert (change.preemptions or 0) > 0
    assert preempted.sum == change.preemptions


def test_that_an_attached_one_is_read_as_well_as_our_own(real: Any) -> None:
    async def ask() -> Any:
        server = make_server(TargetSpec(kind="attached", url=f"{real.url}/v1"), {})
        await server.start(lambda _: None, lambda _, __: None)
        effective = await server.effective()
        await server.stop()
        return effective

    assert asyncio.run(ask()) == real.effective()


def test_that_a_context_the_model_was_not_made_for_is_told_with_its_fix(start_real: Start) -> None:
    with pytest.raises(ServerFailedError, match=r"max_model_len \(100000\).*lower max_model_len to 8192"):
        start_real(controls={"max_model_len": 100_000, "block_size": 32})
