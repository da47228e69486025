"""GPUs as nvidia-smi's text tells them."""

import asyncio
import sys
from pathlib import Path

import pytest

from workbench.results import MachineSample
from workbench.telemetry import GpuProcess, MachineSampler, gpu_sample, gpus_from
from workbench.telemetry.gpu import GPU_FIELDS, Smi

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


def card(index: int, **told: str) -> str:
    """A line of the first query; what isn't given is not told."""
    fields = {"index": str(index), "uuid": f"GPU-{index}", "name": "NVIDIA H100 80GB HBM3", **told}
    return ", ".join(fields.get(name, "[N/A]") for name in GPU_FIELDS) + "\n"


def test_that_a_card_without_memory_of_its_own_tells_none() -> None:
    (found,) = gpus_from(card(0, **{"memory.total": "[Not Supported]"}), "GPU-0, 7, 900\n")
    assert (found.memory_total, found.memory_used, found.utilisation) == (None, None, None)
    sample = gpu_sample(found, {7})
    assert (sample.memory_used, sample.memory_total, sample.memory_others) == (None, None, None)
    assert sample.memory_ours == 900 * MIB


@pytest.mark.parametrize(
    "word", ["[N/A]", "N/A", "[Not Supported]", "[Unknown Error]", "[GPU requires reset]", "", "ERR!"]
)
def test_that_whatever_stands_in_place_of_a_figure_is_no_figure(word: str) -> None:
    (found,) = gpus_from(card(3, **dict.fromkeys(GPU_FIELDS[3:], word)), "")
    assert found.index == 3
    figures = (found.memory_total, found.memory_used, found.utilisation, found.power_w, found.sm_clock_mhz)
    assert set(figures) == {None}
    assert (found.power_cap_w, found.throttling) == (None, ())


def test_that_a_card_split_into_instances_is_one_card_and_its_instances_none() -> None:
    """MIG: the card tells no utilisation; its processes may stand under the instance that they run on."""
    split = {"memory.total": "81559", "memory.used": "20000", "power.draw": "120.50"}
    holding = "MIG-4b5c, 11, 9000\nGPU-0, 12, 8000\nGPU-0, 12, 1000\n"
    first, second = gpus_from(card(0, **split) + card(1, **split), holding)
    assert (first.utilisation, first.power_w) == (None, 120.5)
    assert gpu_sample(first, {12}).memory_ours == 9000 * MIB
    assert gpu_sample(second, {12}).memory_ours is None


def test_that_of_several_cards_each_keeps_its_own_processes() -> None:
    cards = "".join(card(index, **{"memory.used": str(1000 * (index + 1))}) for index in (2, 0, 1))
    holding = "GPU-1, 21, 1500\nGPU-2, 22, 700\nGPU-2, 99, 2000\n"
    samples = {gpu.index: gpu_sample(gpu, {21, 22}) for gpu in gpus_from(cards, holding)}
    assert {index: sample.memory_ours for index, sample in samples.items()} == {
        0: None,
        1: 1500 * MIB,
        2: 700 * MIB,
    }
    assert {index: sample.others for index, sample in samples.items()} == {0: 0, 1: 0, 2: 1}
    assert samples[2].memory_others == 2300 * MIB


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")
def test_that_a_lost_card_takes_no_other_with_it(tmp_path: Path) -> None:
    command = tmp_path / "nvidia-smi"
    lost = "Unable to determine the device handle for GPU0000:41:00.0: Unknown Error"
    command.write_text(f"#!/bin/sh\necho '{lost}'\ncat <<.\n{card(1)}.\nexit 15\n")
    command.chmod(0o755)
    assert [gpu.index for gpu in Smi(str(command)).gpus()] == [1]


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
