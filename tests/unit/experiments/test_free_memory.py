"""R13: memory that somebody else holds is said, with its holders, before a start that must fail for it."""

import os
from pathlib import Path

import pytest

from tests.stand_in_gpu import Card, stand_in_smi
from workbench.controls import Value
from workbench.experiments.run.kv_memory import memory_taken_by_others
from workbench.servers import TargetSpec


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("workbench.telemetry.machine_sampler.open_nvml", lambda: (None, "not asked in tests"))
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return tmp_path


async def said(controls: dict[str, Value] | None = None, *args: str, **env: str) -> list[str]:
    target = TargetSpec(kind="local", model="some/model", args=list(args), env=env)
    return [str(each) for each in await memory_taken_by_others(target, controls or {})]


async def test_that_the_holders_of_a_full_card_are_named_with_what_would_still_fit(folder: Path) -> None:
    stand_in_smi(folder, Card(51_200, f"{os.getpid()}, 51000"))
    (text,) = await said({"gpu_memory_utilization": 0.92})
    assert text.startswith("R13: GPU 0 (NVIDIA H100 80GB HBM3) has 29.6 of 79.6 GiB free")
    assert "gpu_memory_utilization 0.92 needs 73.3" in text
    assert f"({os.getpid()}) 49.8 GiB." in text
    assert text.endswith("set gpu_memory_utilization to 0.37 at most.")


async def test_that_a_card_with_room_is_not_spoken_of(folder: Path) -> None:
    stand_in_smi(folder, Card(600))
    assert await said() == []
    # A server that asks for less has enough where another has too little.
    stand_in_smi(folder, Card(51_200, f"{os.getpid()}, 51000"))
    assert await said({"gpu_memory_utilization": 0.3}) == []
    assert len(await said()) == 1


async def test_that_only_the_cards_that_the_server_takes_count(folder: Path) -> None:
    stand_in_smi(folder, Card(600), Card(51_200, f"{os.getpid()}, 51000"))
    assert await said() == []
    assert len(await said(None, "-tp", "2")) == 1
    assert len(await said(None, CUDA_VISIBLE_DEVICES="1")) == 1
    assert await said(None, "--kv-cache-memory-bytes", "1000000", CUDA_VISIBLE_DEVICES="1") == []
    assert await said(None, CUDA_VISIBLE_DEVICES="GPU-1") == []


async def test_that_holders_that_the_driver_does_not_tell_are_said_not_to_be_known(folder: Path) -> None:
    stand_in_smi(folder, Card(81_000))
    (text,) = await said()
    assert "doesn't show which processes hold the rest" in text
    # With half a gibibyte free no share of the card helps.
    assert text.endswith("end unneeded processes there.")


async def test_that_without_a_gpu_or_a_start_of_ours_nothing_is_said(folder: Path) -> None:
    assert await memory_taken_by_others(TargetSpec(kind="embedded"), {}) == []
    stand_in_smi(folder)
    assert await said() == []
