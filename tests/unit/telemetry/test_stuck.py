"""A server without progress is told from one that is busy and from one that has nothing to do."""

from pathlib import Path

import pytest

from workbench.results import Sample
from workbench.telemetry import MetricsPage, StuckWatch

CASE = Path(__file__).parents[4] / "shared" / "data" / "cases" / "17.txt"


def sample(t: float, **figures: float) -> list[Sample]:
    return [
        Sample(t=t, **{"running": 0.0, "waiting": 6.0, "kv_usage": 0.0, "generation_tokens": 9.0, **figures})
    ]


def test_that_waiting_requests_without_any_movement_are_told_after_the_patience() -> None:
    watch = StuckWatch(patience_s=10.0)
    assert [watch.feed(sample(t)) for t in (0.0, 5.0, 9.9)] == [None] * 3
    assert str(watch.feed(sample(10.0))) == "no progress for 10 s: 0 running, 6 waiting, KV cache 0% full"
    assert watch.feed(sample(10.25, generation_tokens=10.0)) is None
    assert watch.feed(sample(20.0, generation_tokens=10.0)) is None


def test_that_one_slow_request_is_progress() -> None:
    watch = StuckWatch(patience_s=10.0)
    told = [watch.feed(sample(t, running=1.0, kv_usage=0.5 + t / 1000)) for t in range(60)]
    assert told == [None] * 60


def test_that_idleness_is_no_trouble() -> None:
    watch = StuckWatch(patience_s=10.0)
    assert [watch.feed(sample(t, waiting=0.0)) for t in range(60)] == [None] * 60
    assert watch.feed(sample(60.0)) is None
    assert watch.feed([]) is None


@pytest.mark.skipif(not CASE.exists(), reason="no recorded cases here")
def test_that_the_livelock_of_the_field_is_found() -> None:
    text = "".join(line for line in CASE.read_text().splitlines(keepends=True) if line.startswith("vllm:"))
    page = MetricsPage.parse(text)
    watch = StuckWatch()
    told = [watch.feed(page.samples(float(t))) for t in range(30)]
    assert told[19] is None
    assert str(told[20]) == "no progress for 20 s: 0 running, 6 waiting, KV cache 0% full"


def test_an_unknown_figure_is_left_out_and_not_said_to_be_zero() -> None:
    watch = StuckWatch(patience_s=1.0)
    still = [watch.feed([Sample(t=t, running=2.0)]) for t in (0.0, 1.0)]
    assert str(still[-1]) == "no progress for 1 s: 2 running"
