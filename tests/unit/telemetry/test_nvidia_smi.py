"""GPUs as nvidia-smi's text tells them."""

import asyncio
import sys
from pathlib import Path

import pytest

from workbench.results import MachineSample
from workbench.telemetry import GpuProcess, MachineSampler, gpu_sample, gpus_from

CARDS = (
    "0, GPU-aa, NVIDIA H200, 143771, 73500, 85, 412.50, 700.00, 1980, 0x0000000000000004\n"
    "1, GPU-bb, NVIDIA H200, 143771, 4, 0, [N/A], [Not Supported], 345, [N/A]\n"
)
HOLDING = "GPU-aa, 4711, 70000\nGPU-aa, 12, 3000\nGPU-cc, 5, 1\n"
MIB = 1 << 20


def test_that_cards_and_who_holds_their_memory_are_read() -> None:
    first, second = gpus_from(CARDS, HOLDING)
    assert (first.index, first.name, first.memory_total) == (0, "NVIDIA H200", 143771 * MIB)
    assert first.processes == (
        GpuProcess(pid=4711, memory=70000 * MIB),
        GpuProcess(pid=12, memory=3000 * MIB),
    )
    assert (first.utilisation, first.power_w, first.power_cap_w) == (0.85, 412.5, 700.0)
    assert (first.sm_clock_mhz, first.throttling) == (1980.0, ("power cap",))
    assert (second.power_w, second.power_cap_w, second.throttling, second.processes) == (None, None, (), ())
    sample = gpu_sample(first, {4711})
    assert (sample.memory_ours, sample.memory_others, sample.others) == (70000 * MIB, 3500 * MIB, 1)


@pytest.mark.parametrize(
    ("cards", "holding", "count"),
    [
        ("", "", 0),
        ("No devices were found\n", "", 0),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", "", 0),
        (CARDS, "GPU-aa, [N/A], [N/A]\n", 2),
        (f"WARNING: infoROM is corrupted\n{CARDS}", "[Insufficient Permissions]\n", 2),
    ],
)
def test_that_what_is_no_card_is_left_out(cards: str, holding: str, count: int) -> None:
    assert len(gpus_from(cards, holding)) == count


def test_that_memory_which_is_not_told_of_a_process_is_unknown() -> None:
    (first, _) = gpus_from(CARDS, "GPU-aa, 4711, [N/A]\n")
    sample = gpu_sample(first, {4711})
    assert (sample.memory_ours, sample.memory_others, sample.others) == (None, None, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
async def test_that_without_nvml_the_command_beside_the_driver_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = tmp_path / "nvidia-smi"
    command.write_text(
        '#!/bin/sh\ncase $1 in --query-gpu*) printf %s "$CARDS";; *) printf %s "$HOLDING";; esac\n'
    )
    command.chmod(0o755)
    monkeypatch.setenv("CARDS", CARDS)
    monkeypatch.setenv("HOLDING", HOLDING)
    monkeypatch.setitem(sys.modules, "pynvml", None)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    samples: list[MachineSample] = []
    stop = asyncio.Event()

    def take(sample: MachineSample) -> None:
        samples.append(sample)
        stop.set()

    async with asyncio.timeout(60):
        await MachineSampler([], 0.1).run(take, stop)
    assert [gpu.power_w for gpu in samples[0].gpus] == [412.5, None]
    command.write_text("#!/bin/sh\nexit 9\n")
    stop.clear()
    async with asyncio.timeout(60):
        await MachineSampler([], 0.1).run(take, stop)
    assert samples[1].gpus == []
