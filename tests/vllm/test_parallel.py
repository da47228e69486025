"""A real vLLM of two engines, with data parallelism: each decides for itself, records it and takes limits."""

import asyncio
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.vllm.conftest import Loop, assert_nothing_scattered, local_spec, scattered
from tests.vllm.test_life import complete
from workbench.experiments import read_experiments, run_experiments
from workbench.experiments.run.events import Event, RunFinished, SampleTaken
from workbench.results import BenchFile
from workbench.servers import step_record_files
from workbench.vllm_dialect import StepLimitChanged, StepScheduled, read_steps

pytestmark = [pytest.mark.vllm_full, pytest.mark.timeout(900)]
CONTROLS = {"max_model_len": 512, "block_size": 32, "num_gpu_blocks_override": 60, "max_num_seqs": 4}
REQUESTS = 12


def two_engines(start_real: Callable[..., Any], **more: Any) -> Any:
    """Start a vLLM with two engines by the user's own flag."""
    spec = local_spec()
    # Bound to one processor each, two engines would need two that are free.
    environment = {name: value for name, value in spec.env.items() if name != "VLLM_CPU_OMP_THREADS_BIND"}
    args = [*spec.args, "--data-parallel-size", "2"]
    return start_real(controls=CONTROLS, args=args, env=environment, **more)


_SERIES = re.compile(r'^(vllm:\w+)\{(?=[^}]*\bengine="(\d+)")[^}]*\} (\S+)$', re.MULTILINE)


def page_of(url: str) -> Counter[tuple[str, str]]:
    """Read the page without our parser: each family's sum over its other labels, by engine."""
    found: Counter[tuple[str, str]] = Counter()
    for family, engine, value in _SERIES.findall(httpx.get(f"{url}/metrics", trust_env=False).text):
        found[family, engine] += float(value)  # type: ignore[assignment]  # counters of vLLM are floats
    return found


def test_that_figures_of_each_engine_agree_with_the_page(
    start_real: Callable[..., Any], tmp_path: Path
) -> None:
    before = scattered()
    server = two_engines(start_real)
    path = tmp_path / "parallel.toml"
    path.write_text(f"""
name = "Two engines"
[target]
kind = "attached"
url = "{server.url}"
[trace]
synthetic = "50:20"
[load]
rates = [4]
duration_s = 15
""")
    events: list[Event] = []
    status = run_experiments(
        read_experiments([path]), tmp_path / "parallel.bench", events.append, calibrated=False
    )
    page = page_of(server.url)
    server.stop()
    assert status == "done", events[-3:]
    with BenchFile.open(tmp_path / "parallel.bench") as bench:
        (run,) = bench.runs()
        samples = bench.samples(run.id)
        figures = run.summary["engines"] if run.summary else {}
        completed = run.figures.requests.completed
    assert list(figures) == ["0", "1"]
    first = {engine: next(each for each in samples if each.engine == engine) for engine in "01"}
    last = {engine: next(each for each in reversed(samples) if each.engine == engine) for engine in "01"}
    for family, field, name in (
        ("vllm:request_success_total", "succeeded", "requests"),
        ("vllm:prompt_tokens_total", "prompt_tokens", "prompt_tokens"),
        ("vllm:generation_tokens_total", "generation_tokens", "generation_tokens"),
        ("vllm:num_preemptions_total", "preemptions", "preemptions"),
    ):
        for engine in "01":
            assert getattr(last[engine], field) == page[family, engine], (family, engine)
            grown = page[family, engine] - getattr(first[engine], field)
            assert figures[engine][name] == grown, (name, engine)
    requests = [figures[engine]["requests"] for engine in "01"]
    assert min(requests) > 0, "vLLM balances between its engines"
    assert sum(requests) >= (completed or 0) > 40
    seen = [event.engines for event in events if isinstance(event, SampleTaken) and event.engines]
    assert {tuple(engines) for engines in seen} == {("0", "1")}
    busiest = {engine: max(each.running or 0 for each in samples if each.engine == engine) for engine in "01"}
    assert {engine: figures[engine]["running_max"] for engine in "01"} == busiest
    (row,) = [event.row for event in events if isinstance(event, RunFinished)]
    assert row["request_imbalance"] == pytest.approx(2 * max(requests) / sum(requests), abs=0.01)
    assert_nothing_scattered(before)


def test_that_both_engines_record_their_steps_and_take_new_limits(
    start_real: Callable[..., Any], loop: Loop
) -> None:
    before = scattered()
    server = two_engines(start_real, record_steps=True, live_limits=True)
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
