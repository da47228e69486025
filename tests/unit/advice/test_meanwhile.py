"""Work that waits while the GPU has nothing to do is told from a GPU that is the limit."""

import pytest

from tests.unit.advice.test_diagnosis import LIMITS, bounds, requests, samples
from workbench.advice import Bottleneck, Diagnosis, RunView, diagnose
from workbench.results import GpuSample, MachineSample


def looks(gpu: float | None = None, **cpu: float) -> list[MachineSample]:
    gpus = [] if gpu is None else [GpuSample(index=0, memory_used=1, memory_ours=1, utilisation=gpu)]
    return [MachineSample(t=float(t), gpus=gpus, **cpu) for t in range(30)]


def waiting(machine: list[MachineSample]) -> Diagnosis:
    taken = samples(30, running=10, waiting=5, kv_usage=0.3, prompt_rate=9000)
    return diagnose(RunView(samples=taken, limits=LIMITS, machine=machine))


def said(found: Diagnosis) -> str:
    return " ".join(map(str, found.findings[0].evidence))


def test_that_an_idle_gpu_beside_a_queue_points_away_from_batching() -> None:
    assert "busy only 20 % of the time meanwhile." in said(waiting(looks(0.2)))
    late = said(waiting(looks(0.2, engine_cpu=0.98)))
    assert "the engine's process uses 0.98 of a core and delays the GPU" in late
    assert "the machine's cores are 97 % busy" in said(waiting(looks(0.2, engine_cpu=1.0, host_cpu=0.97)))


def test_that_a_busy_gpu_is_said_to_be_busy_and_an_unseen_one_is_not_spoken_of() -> None:
    assert "The GPU was busy 98 % of the time meanwhile." in said(waiting(looks(0.98)))
    assert "GPU" not in said(waiting(looks(engine_cpu=1.0, host_cpu=1.0)))
    assert "GPU" not in said(waiting(looks(0.2)[:2]))


def test_that_a_neighbours_gpu_is_not_the_servers() -> None:
    others = [
        MachineSample(t=float(t), gpus=[GpuSample(index=0, memory_used=1, memory_ours=0, utilisation=0.01)])
        for t in range(30)
    ]
    assert "GPU" not in said(waiting(others))


@pytest.mark.parametrize(
    ("cores", "verdict", "confidence", "change"),
    [
        (0.97, "The front end's processor is the bottleneck", "high", "--api-server-count 2"),
        (0.1, "the CPU is free", "medium", "measure from the server's own machine"),
        (0.7, "tokenization, the HTTP server, or the network", "medium", "--api-server-count 2"),
    ],
)
def test_that_tokenising_is_told_from_the_network_by_the_front_ends_cpu(
    cores: float, verdict: str, confidence: str, change: str
) -> None:
    records = requests(120, every_s=0.5, released=0, sent=0, first_token=9.0, last_token=9.5, done=10.0)
    taken = samples(30, running=2, waiting=0, kv_usage=0.1)
    found = diagnose(RunView(samples=taken, limits=LIMITS, records=records, machine=looks(api_cpu=cores)))
    assert bounds(found) == {Bottleneck.FRONT_END}
    assert verdict in str(found.findings[0].verdict)
    assert found.findings[0].confidence == confidence
    assert found.change is not None
    assert change in str(found.change.text)
