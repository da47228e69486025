"""The machine is sampled beside a server: what its processes do is told apart, what isn't told is None."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from tests.unit.telemetry import fake_nvml
from workbench.base import now
from workbench.results import MachineSample
from workbench.telemetry import MachineSampler

BUSY = "import time\nwhile True: sum(range(2000)); time.sleep(0.001)"
PARENT = f"""
import subprocess, sys
engine = subprocess.Popen([sys.executable, "-c", {BUSY!r}, "VLLM::EngineCore"])
asleep = "import sys, time; print(flush=True); time.sleep(60)"
worker = subprocess.Popen([sys.executable, "-c", asleep, "VLLM::Worker_TP0"], stdout=subprocess.PIPE)
worker.stdout.readline()
print("ready", engine.pid, worker.pid, flush=True)
sys.stdin.read()
engine.kill(); worker.kill()
"""


@pytest.fixture
def server() -> Iterator[tuple[int, int, int]]:
    """Pids of a first process, of a busy engine and of an idle worker."""
    words = [sys.executable, "-c", PARENT]
    first = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert first.stdin is not None
    assert first.stdout is not None
    _, engine, worker = first.stdout.readline().split()
    yield first.pid, int(engine), int(worker)
    first.stdin.close()
    first.stdout.close()
    first.wait()


async def taken(sampler: MachineSampler, count: int) -> list[MachineSample]:
    samples: list[MachineSample] = []
    stop = asyncio.Event()

    def take(sample: MachineSample) -> None:
        samples.append(sample)
        if len(samples) == count:
            stop.set()

    await asyncio.wait_for(sampler.run(take, stop), 60)
    return samples


_IDLE = pytest.approx(0, abs=0.02)


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)


@pytest.mark.usefixtures("no_gpu")
async def test_that_engine_worker_and_api_server_are_told_apart(server: tuple[int, int, int]) -> None:
    samples: list[MachineSample] = []
    async with asyncio.timeout(45):
        # Until the interpreters of both have started, which on a busy machine takes its time.
        while not samples or samples[-1].api_cpu != _IDLE or samples[-1].worker_cpu != _IDLE:
            samples = await taken(MachineSampler([server[0]], 0.3), 4)
    # Of a machine that is busy otherwise it may get little, and in single looks nothing.
    assert sum(sample.engine_cpu or 0 for sample in samples) > 0.03
    assert all(0 < (sample.host_cpu or 0) <= 1 for sample in samples)
    assert all((sample.net_received or 0) >= 0 for sample in samples)
    assert samples[0].gpus == []


@pytest.mark.usefixtures("no_gpu")
async def test_that_times_count_from_the_schedules_start_and_a_stop_is_at_once() -> None:
    begun = now()
    (sample,) = await taken(MachineSampler([], 0.2, zero=begun + 100), 1)
    assert -100 < sample.t < -99
    assert (sample.api_cpu, sample.engine_cpu, sample.worker_cpu) == (None, None, None)
    stop = asyncio.Event()
    sampling = asyncio.create_task(MachineSampler([], 60.0).run(lambda _: None, stop))
    await asyncio.sleep(0.2)
    stop.set()
    await asyncio.wait_for(sampling, 30)


@pytest.mark.usefixtures("no_gpu")
async def test_that_an_ended_server_leaves_the_machine_to_be_told(server: tuple[int, int, int]) -> None:
    sampler = MachineSampler([server[0], 2**22], 0.2)
    psutil.Process(server[1]).kill()
    samples = await taken(sampler, 8)
    assert samples[-1].engine_cpu is None
    assert samples[-1].host_cpu is not None


async def test_that_a_cards_memory_is_split_into_ours_and_the_others(
    monkeypatch: pytest.MonkeyPatch, server: tuple[int, int, int]
) -> None:
    library = fake_nvml.module(processes=((server[2], 50 << 30), (1, 4 << 30)))
    monkeypatch.setitem(sys.modules, "pynvml", library)
    (sample,) = await taken(MachineSampler([server[0]], 0.2), 1)
    first, second = sample.gpus
    assert (first.memory_used, first.memory_ours, first.memory_others) == (60 << 30, 50 << 30, 10 << 30)
    assert (first.others, first.throttling) == (1, ["power cap", "thermal, by hardware"])
    assert (second.memory_used, second.memory_ours, second.memory_others) == (60 << 30, None, None)
    assert library.closed == 1


@pytest.mark.usefixtures("no_gpu")
async def test_that_a_machine_without_disk_counters_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "disk_io_counters", lambda: None)
    monkeypatch.setattr(psutil, "net_io_counters", lambda **_: {})
    (sample,) = await taken(MachineSampler([], 0.1), 1)
    assert (sample.disk_read, sample.net_received) == (None, 0.0)


@pytest.mark.usefixtures("no_gpu")
async def test_that_rates_are_bytes_a_second_and_the_loopback_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cards(**_: Any) -> dict[str, Any]:
        sent = now() * 2000
        card = SimpleNamespace(bytes_recv=2 * sent, bytes_sent=sent)
        return {"lo": SimpleNamespace(bytes_recv=sent**2, bytes_sent=sent**2), "eth0": card}

    monkeypatch.setattr(psutil, "net_io_counters", cards)
    (sample,) = await taken(MachineSampler([], 0.2), 1)
    assert sample.net_sent == pytest.approx(2000, rel=0.1)
    assert sample.net_received == pytest.approx(2 * (sample.net_sent or 0))


@pytest.mark.parametrize("hangs", ["nvmlInit", "nvmlDeviceGetCount"])
async def test_that_a_driver_which_never_answers_holds_no_run_up(
    monkeypatch: pytest.MonkeyPatch, hangs: str
) -> None:
    library, never, asked = fake_nvml.module(), threading.Event(), threading.Event()

    def hang() -> int:
        asked.set()
        never.wait()
        return 0

    closed: list[bool] = []
    setattr(library, hangs, hang)
    library.nvmlShutdown = lambda: closed.append(True)
    monkeypatch.setitem(sys.modules, "pynvml", library)
    monkeypatch.setattr("workbench.telemetry.machine_sampler._LAST_LOOK_S", 0.1)
    samples: list[MachineSample] = []
    stop = asyncio.Event()
    sampling = asyncio.create_task(MachineSampler([], 0.05).run(samples.append, stop))
    await asyncio.to_thread(asked.wait)
    stop.set()
    async with asyncio.timeout(60):
        await sampling
    assert closed == []
    never.set()
