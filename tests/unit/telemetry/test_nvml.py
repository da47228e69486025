"""GPUs are read as far as they tell; none is normal."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.telemetry import fake_nvml
from workbench.telemetry import GpuProcess, gpu_sample, open_nvml


def use(monkeypatch: pytest.MonkeyPatch, library: Any) -> Any:
    monkeypatch.setitem(sys.modules, "pynvml", library)
    return library


def test_that_a_card_is_read_and_what_it_does_not_tell_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    library = use(monkeypatch, fake_nvml.module(processes=((7, 5 << 30), (8, None))))
    opened, problem = open_nvml()
    assert opened is not None
    with opened:
        first, second = opened.gpus()
        assert opened.driver == "570.1"
    assert (problem, library.closed) == (None, 1)
    assert (first.name, first.memory_total, first.memory_used) == ("H200", 100 << 30, 60 << 30)
    assert (first.utilisation, first.power_w, first.sm_clock_mhz) == (0.85, 412.5, 1980.0)
    # Idle clocks are no throttling.
    assert first.throttling == ("power cap", "thermal, by hardware")
    assert first.processes == (GpuProcess(pid=7, memory=5 << 30), GpuProcess(pid=8, memory=None))
    assert (second.utilisation, second.power_w, second.sm_clock_mhz) == (None, None, None)
    assert (second.throttling, second.processes) == ((), ())


def test_that_a_card_that_cannot_be_asked_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    library = fake_nvml.module()

    def handle(index: int) -> int:
        if index == 0:
            raise fake_nvml.NVMLError(15)
        return index

    library.nvmlDeviceGetHandleByIndex = handle
    library.nvmlDeviceGetMemoryInfo = library.nvmlDeviceGetPowerUsage
    monkeypatch.setitem(sys.modules, "pynvml", library)
    nvml, _ = open_nvml()
    assert nvml is not None
    (found,) = nvml.gpus()
    assert (found.index, found.memory_used, found.memory_total) == (1, None, None)


@pytest.mark.parametrize(
    ("library", "problem"),
    [
        (None, "nvidia-ml-py is not installed"),
        (fake_nvml.module(fails=12), ""),
        (fake_nvml.module(fails=9), ""),
        (fake_nvml.module(fails=18), "NVML: error 18"),
    ],
)
def test_that_only_a_broken_driver_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, library: Any, problem: str
) -> None:
    use(monkeypatch, library)
    opened, found = open_nvml()
    assert (opened, str(found or "")) == (None, problem)


def test_what_each_process_uses_is_read_since_the_last_look(monkeypatch: pytest.MonkeyPatch) -> None:
    library = use(monkeypatch, fake_nvml.module(processes=((7, 5 << 30), (8, 1 << 30))))
    asked: list[tuple[int, int]] = []

    def uses(handle: int, since: int) -> list[Any]:
        asked.append((handle, since))
        return [SimpleNamespace(pid=8, timeStamp=stamp, smUtil=use) for stamp, use in ((10, 20), (20, 60))]

    library.nvmlDeviceGetProcessUtilization = uses
    nvml, _ = open_nvml()
    assert nvml is not None
    (first, _), (again, _) = nvml.gpus(), nvml.gpus()
    assert [one.utilisation for one in first.processes] == [0.0, pytest.approx(0.4)]
    assert [since for handle, since in asked if handle == 0] == [0, 20]
    sample = gpu_sample(again, {7})
    assert (sample.others, sample.others_utilisation) == (1, pytest.approx(0.4))
    assert gpu_sample(again, {7, 8}).others_utilisation == 0.0


@pytest.mark.parametrize(("error", "known"), [(6, 0.0), (3, None)], ids=["nothing ran", "not supported"])
def test_a_card_that_tells_no_use_leaves_it_unknown(
    monkeypatch: pytest.MonkeyPatch, error: int, known: float | None
) -> None:
    library = use(monkeypatch, fake_nvml.module(processes=((7, 5 << 30),)))

    def uses(*_: int) -> list[Any]:
        raise fake_nvml.NVMLError(error)

    library.NVML_ERROR_NOT_FOUND, library.nvmlDeviceGetProcessUtilization = 6, uses
    nvml, _ = open_nvml()
    assert nvml is not None
    card, *_ = nvml.gpus()
    assert gpu_sample(card, ()).others_utilisation == known
