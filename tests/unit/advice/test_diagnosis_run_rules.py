"""Rules on a whole run: pauses, closed batches, clocks."""

import numpy as np
import pytest

from tests.unit.advice.test_diagnosis import LIMITS, between, bounds, requests, rules, samples
from workbench.advice import Bottleneck, RunView, diagnose
from workbench.results import GpuSample, MachineSample, RequestRecord


def streams(pause_ms: float, prompt: int) -> list[RequestRecord]:
    """Four answers of a second, each with one pause at half a second, and a prompt that is read meanwhile."""
    records = requests(5, every_s=0.0, released=0, sent=0, first_token=0.1, last_token=1.1, done=1.1)
    for record in records[:4]:
        gaps = [10.0] * 40 + [pause_ms] + [10.0] * 40
        record.gaps_ms = np.asarray(gaps, dtype="<f4").tobytes()
    records[4].input_tokens, records[4].sent, records[4].first_token = prompt, 0.45, 0.6
    records[4].released = 0.45
    return records


def test_that_answers_which_pause_together_while_a_long_prompt_is_read_are_named() -> None:
    quiet = samples(30, running=4, waiting=0, kv_usage=0.1)
    found = diagnose(RunView(samples=quiet, limits=LIMITS, records=streams(300.0, 8000)))
    assert rules(found) == {"R21"}
    assert str(found.findings[0].verdict).endswith("4 paused for up to 300 ms during one prefill.")
    assert found.change is not None
    assert found.change.control == "long_prefill_token_threshold"


@pytest.mark.parametrize(("pause_ms", "prompt"), [(90.0, 8000), (300.0, 100)])
def test_that_short_pauses_and_pauses_without_a_long_prompt_are_no_stutter(
    pause_ms: float, prompt: int
) -> None:
    quiet = samples(30, running=4, waiting=0, kv_usage=0.1)
    assert diagnose(RunView(samples=quiet, limits=LIMITS, records=streams(pause_ms, prompt))).findings == []


def test_that_a_closed_batch_is_named_where_batching_is_static() -> None:
    taken = samples(60, running=2, waiting=between(10, 50, 5, 0), kv_usage=0.1, prompt_rate=100)
    found = diagnose(RunView(samples=taken, limits={**LIMITS, "static_batching": True}))
    assert bounds(found) == {Bottleneck.BLOCKED_HEAD}
    assert "The batch is closed" in str(found.findings[0].verdict)
    assert found.change is not None
    assert (found.change.control, found.change.value) == ("static_batching", False)


def looks(*throttling: list[str], ours: int | None = 1) -> list[MachineSample]:
    return [
        MachineSample(
            t=float(t),
            gpus=[GpuSample(index=0, memory_used=1, memory_ours=ours, sm_clock_mhz=1980 - t, throttling=why)],
        )
        for t, why in enumerate(throttling)
    ]


def test_that_clocks_held_back_by_heat_are_said_with_their_share() -> None:
    quiet = samples(30, running=4, waiting=0, kv_usage=0.1)
    hot = looks(*[["thermal, by software"]] * 3, *[[]] * 7)
    found = diagnose(RunView(samples=quiet, limits=LIMITS, machine=hot))
    assert rules(found) == {"R20"}
    assert found.findings[0].confidence == "high"
    assert [str(each) for each in found.findings[0].evidence] == [
        "thermal, by software: 30 % of 10 samples.",
        "SM clock 1971 to 1980 MHz.",
    ]
    capped = diagnose(RunView(samples=quiet, limits=LIMITS, machine=looks(*[["power cap"]] * 9)))
    assert capped.findings[0].confidence == "low"
    assert "power limit" in str(capped.findings[0].verdict)


@pytest.mark.parametrize(
    "machine",
    [
        looks(*[[]] * 30),
        # One look in fifty explains nothing; another tenant's card isn't ours to be slowed by.
        looks(["power brake"], *[[]] * 49),
        looks(*[["power brake"]] * 30, ours=0),
        [MachineSample(t=1.0)],
    ],
)
def test_that_clocks_as_asked_are_no_finding(machine: list[MachineSample]) -> None:
    quiet = samples(30, running=4, waiting=0, kv_usage=0.1)
    assert diagnose(RunView(samples=quiet, limits=LIMITS, machine=machine)).findings == []


def test_that_a_queue_time_beyond_the_last_bucket_is_said_to_be_no_figure() -> None:
    quiet = samples(30, running=4, waiting=0, kv_usage=0.1)
    beyond = {"queue_ms": {"lo": 1_920_000.0, "hi": None, "source": "histogram"}}
    found = diagnose(RunView(samples=quiet, limits=LIMITS, figures=beyond))
    assert rules(found) == {"R10"}
    assert str(found.findings[0].verdict).startswith("Queue time's p95 is 1,920 s or more")
    change = found.findings[0].change
    assert change is not None
    assert "--enable-per-request-metrics" in str(change.text)
    old = diagnose(RunView(samples=quiet, limits=LIMITS, figures=beyond, vllm_version="0.24.0"))
    change = old.findings[0].change
    assert change is not None
    assert "vLLM 0.24.0 reports no queue time of single requests" in str(change.text)
    within = {"queue_ms": {"lo": 1000.0, "hi": 2000.0, "source": "histogram"}}
    assert diagnose(RunView(samples=quiet, limits=LIMITS, figures=within)).findings == []
