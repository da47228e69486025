"""Runs in which hardly anything bound: what was never reached, and what a server that kept up is told."""

from tests.unit.advice.test_diagnosis import LIMITS, between, samples
from workbench.advice import Bottleneck, RunView, diagnose
from workbench.base import message


def test_that_a_limit_never_reached_cannot_matter() -> None:
    limits = {"max_num_seqs": 256, "max_num_queued_reqs": 40, "max_num_batched_tokens": 8192}
    found = diagnose(RunView(samples=samples(30, running=41, waiting=0, kv_usage=0.3), limits=limits))
    said = {reach.control: str(reach.verdict) for reach in found.headrooms}
    assert (
        "max_num_seqs 256 was never reached (at most 41): raising it can't matter here"
        in said["max_num_seqs"]
    )
    assert "was reached" in said["max_num_queued_reqs"]
    assert "unknown whether it was reached" in said["max_num_batched_tokens"]
    assert "never full (at most 30 %)" in said["kv_cache"]


def test_that_requests_which_queued_between_the_samples_are_not_called_a_server_that_kept_up() -> None:
    figures = {"ttft_ms": {"p95": 357.0}, "queue_ms": {"p95": 301.0}}
    short = between(10, 10.5, 5, 0)
    taken = samples(30, running=between(10, 10.5, 32, 20), waiting=short, kv_usage=0.02)
    found = diagnose(RunView(samples=taken, limits=LIMITS, figures=figures))
    assert found.headline == message("advice.queued_unseen", queue=301.0, ttft=357.0)
    assert found.change is not None
    assert (found.change.control, found.change.value) == ("max_num_seqs", 64)
    unseen = samples(30, running=20, waiting=0, kv_usage=0.02)
    found = diagnose(RunView(samples=unseen, limits=LIMITS, figures=figures))
    assert found.change is not None
    assert "record every step" in str(found.change.text)
    steady = {"ttft_ms": {"p95": 357.0}, "queue_ms": {"p95": 20.0}}
    found = diagnose(RunView(samples=taken, limits=LIMITS, figures=steady))
    assert str(found.headline) == "No bottleneck: the server kept up."


def test_that_a_server_that_keeps_up_is_offered_a_higher_rate() -> None:
    found = diagnose(RunView(samples=samples(30, running=4, waiting=0, kv_usage=0.1), limits=LIMITS))
    assert str(found.headline) == "No bottleneck: the server kept up."
    assert found.main is Bottleneck.NONE
    assert found.change is not None
    assert "higher rate" in str(found.change.text)


def test_that_an_invalid_run_kept_up_with_nothing_and_advises_no_higher_rate() -> None:
    taken = samples(30, running=4, waiting=0, kv_usage=0.1)
    found = diagnose(RunView(samples=taken, limits=LIMITS, figures={"valid": False}))
    assert "the run is invalid" in str(found.headline)
    assert found.change is None


def test_that_a_limit_that_held_for_a_short_time_is_named_after_what_held_longer() -> None:
    taken = samples(60, running=32, waiting=between(10, 20, 20, 0), kv_usage=0.4)
    found = diagnose(RunView(samples=taken, limits=LIMITS))
    assert str(found.headline).startswith("No bottleneck ")
    assert found.main is Bottleneck.SEQUENCES
