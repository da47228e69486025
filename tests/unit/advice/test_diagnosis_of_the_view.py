"""What a diagnosis is told of: recorded reasons, several engines, simulated time, classes."""

from typing import Any

import numpy as np
import pytest

from tests.unit.advice.test_diagnosis import LIMITS, between, samples
from workbench.advice import Bottleneck, RunView, StepWait, diagnose
from workbench.results import Sample


def test_that_the_schedulers_own_reasons_win_over_gauges() -> None:
    taken = samples(30, running=10, waiting=5, kv_usage=0.5)
    steps = [StepWait(t=t, reason="kv" if t < 15 else "budget") for t in np.arange(0, 30, 0.05)]
    found = diagnose(RunView(samples=taken, limits=LIMITS, step_waits=steps))
    assert found.shares["kv"] == pytest.approx(0.5, abs=0.03)
    assert found.shares["token_budget"] == pytest.approx(0.5, abs=0.03)


def test_that_two_engines_are_summed_and_their_seats_too() -> None:
    one = samples(30, running=32, waiting=5, kv_usage=0.4)
    taken = [Sample(**{**_fields(sample), "engine": engine}) for sample in one for engine in ("0", "1")]
    found = diagnose(RunView(samples=taken, limits=LIMITS))
    assert found.main is Bottleneck.SEQUENCES
    assert "64 running, 10 waiting" in str(found.findings[0].evidence[1])
    assert found.change is not None
    assert found.change.value == 64


def _fields(sample: Sample) -> dict[str, Any]:
    return {name: getattr(sample, name) for name in Sample.__struct_fields__}


def test_that_simulated_runs_are_told_in_simulated_seconds() -> None:
    taken = samples(6, step_s=0.025, running=32, waiting=between(1, 5, 20, 0), kv_usage=0.4)
    found = diagnose(RunView(samples=taken, limits=LIMITS, time_scale=10.0))
    assert found.findings[0].moments[0] == pytest.approx((10, 50), abs=0.5)


def test_that_classes_are_told_apart_by_their_first_tokens() -> None:
    figures = {"classes": {
        "chat": {"ttft_ms": {"p95": 300.0}, "queue_ms": {"p95": 100.0}},
        "long": {"ttft_ms": {"p95": 9000.0}, "queue_ms": {"p95": 8000.0}, "error_rate": 0.02},
    }}  # fmt: skip
    taken = samples(30, running=4, waiting=0, kv_usage=0.1)
    told = diagnose(RunView(samples=taken, figures=figures, objectives={"ttft_p95_ms": 500})).classes
    assert list(map(str, told["chat"])) == ["TTFT p95 300 ms meets 500 ms.", "100 ms of it in the queue."]
    assert str(told["long"][0]) == "TTFT p95 9.0 s misses 500 ms."
    assert "2.0 % failed or were rejected." in list(map(str, told["long"]))


def test_that_nothing_seen_is_said_and_not_guessed() -> None:
    nothing = diagnose(RunView(samples=[]))
    assert "Too few samples" in str(nothing.headline)
    assert nothing.findings == []
    blind = diagnose(RunView(samples=[Sample(t=float(t)) for t in range(30)]))
    assert "doesn't report" in str(blind.headline)


def test_that_sentences_are_short() -> None:
    taken = samples(60, running=32, waiting=20, kv_usage=0.4)
    for sentence in diagnose(RunView(samples=taken, limits=LIMITS)).notes():
        assert len(str(sentence)) < 160
        assert str(sentence)[-1] in ".:"
