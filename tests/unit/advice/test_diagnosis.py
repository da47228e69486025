"""Diagnosis on synthetic series, each made to trip exactly one rule."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import numpy as np
import pytest

from workbench.advice import Bottleneck, Diagnosis, RunView, diagnose
from workbench.results import MachineSample, Outcome, RequestRecord, Sample

Course = float | Callable[[float], float]
STEP_S = 0.25
LIMITS: Mapping[str, Any] = {"max_num_seqs": 32, "max_num_batched_tokens": 8192}


def samples(seconds: float, *, step_s: float = STEP_S, **courses: Course) -> list[Sample]:
    """Gauges and counters as courses over time; `*_rate` in tokens (or requests) per second."""
    taken = []
    totals = {"prompt_tokens": 0.0, "generation_tokens": 0.0, "succeeded": 0.0}
    rates = {"prompt_tokens": "prompt_rate", "generation_tokens": "output_rate", "succeeded": "done_rate"}
    defaults: dict[str, Course] = {"output_rate": 500.0, "prompt_rate": 0.0, "done_rate": 2.0}
    for t in np.arange(0, seconds + step_s / 2, step_s):
        for counter, rate in rates.items():
            course = courses.get(rate, defaults[rate])
            totals[counter] += step_s * _at(course, t)
        gauges = {name: _at(course, t) for name, course in courses.items() if not name.endswith("_rate")}
        taken.append(Sample(t=float(t), **totals, **gauges))
    return taken


def _at(course: Course, t: float) -> float:
    return float(course(t)) if callable(course) else float(course)


def between(start: float, end: float, inside: float, outside: float) -> Callable[[float], float]:
    return lambda t: inside if start <= t < end else outside


def requests(count: int, *, every_s: float, **stamps: float) -> list[RequestRecord]:
    """Requests due at a steady pace; stamps are offsets from due."""
    records = []
    for index in range(count):
        due = index * every_s
        later = {name: due + offset for name, offset in stamps.items()}
        records.append(
            RequestRecord(
                index=index, row=index, request_id=str(index), cls="chat", input_tokens=100, output_tokens=10,
                due=due, outcome=Outcome.COMPLETED, **later,
            )
        )  # fmt: skip
    return records


def bounds(diagnosis: Diagnosis) -> set[Bottleneck]:
    return {finding.bottleneck for finding in diagnosis.findings if finding.bottleneck is not None}


def rules(diagnosis: Diagnosis) -> set[str]:
    return {finding.rule for finding in diagnosis.findings}


def test_that_full_seats_with_a_queue_and_free_memory_are_the_sequence_limit() -> None:
    taken = samples(60, running=32, waiting=between(10, 50, 20, 0), kv_usage=0.4)
    found = diagnose(RunView(samples=taken, limits=LIMITS))
    assert bounds(found) == {Bottleneck.SEQUENCES}
    assert found.shares["seats"] == pytest.approx(40 / 60, abs=0.02)
    assert found.findings[0].moments[0] == pytest.approx((10, 50), abs=0.5)
    assert found.findings[0].confidence == "high"
    assert found.change is not None
    assert (found.change.control, found.change.value) == ("max_num_seqs", 64)
    assert found.change.watch_text()
    assert found.change.cost


def test_that_raising_seats_stops_where_the_pool_would_fill() -> None:
    found = diagnose(RunView(samples=samples(60, running=32, waiting=20, kv_usage=0.7), limits=LIMITS))
    assert found.change is not None
    assert (found.change.control, found.change.value) == ("max_num_seqs", 41)
    assert "90 %" in str(found.change.cost)


def test_that_seats_are_seen_through_gauges_that_miss_the_ones_just_freed() -> None:
    flicker = lambda t: 32 if round(t / STEP_S) % 2 else 31  # noqa: E731 - a course
    found = diagnose(RunView(samples=samples(30, running=flicker, waiting=9, kv_usage=0.4), limits=LIMITS))
    assert found.main is Bottleneck.SEQUENCES
    assert found.shares["seats"] > 0.95


def test_that_an_unknown_limit_is_guessed_from_a_plateau_and_said_to_be_a_guess() -> None:
    found = diagnose(RunView(samples=samples(30, running=16, waiting=9, kv_usage=0.4)))
    assert bounds(found) == {Bottleneck.SEQUENCES}
    assert found.findings[0].confidence == "low"
    assert "probably a sequence limit" in str(found.findings[0].verdict)


def test_that_preemptions_are_the_kv_cache_and_both_sides_are_shown() -> None:
    taken = samples(
        60, running=24, waiting=between(20, 40, 3, 0), kv_usage=between(20, 40, 0.97, 0.6),
        preemptions=lambda t: max(0, min(9, (t - 20) // 2)),
    )  # fmt: skip
    records = requests(40, every_s=1.0, released=0, sent=0, first_token=0.1, last_token=0.9, done=1.0)
    records[5].gaps_ms = np.asarray([20, 3300, 20], dtype="<f4").tobytes()
    found = diagnose(RunView(samples=taken, limits=LIMITS, records=records))
    assert bounds(found) == {Bottleneck.KV_CACHE}
    finding = found.findings[0]
    assert "9 preemptions" in str(finding.verdict)
    assert any("3.3 s" in str(sentence) for sentence in finding.evidence)
    assert found.change is not None
    assert (found.change.control, found.change.value) == ("max_num_seqs", 22)
    assert "preemptions can be worth it" in str(found.change.cost)


HELD = "The pool holds 6.67 requests of this load's mean length to their end."


def _preempting(seats: int, running: float, tokens: int | None = 734) -> RunView:
    """A pool of 734 tokens under requests of 110: 6.67 of them fit."""
    taken = samples(
        60, running=running, waiting=3, kv_usage=0.97, preemptions=lambda t: max(0, min(9, (t - 20) // 2))
    )
    records = requests(40, every_s=1.0, released=0, sent=0, first_token=0.1, last_token=0.9, done=1.0)
    return RunView(
        samples=taken, limits={**LIMITS, "max_num_seqs": seats}, records=records, kv_cache_tokens=tokens
    )


@pytest.mark.parametrize("running", [4.4, 6, 12])
def test_the_advice_takes_the_number_that_its_evidence_names(running: float) -> None:
    found = diagnose(_preempting(16, running))
    finding = next(finding for finding in found.findings if finding.bottleneck is Bottleneck.KV_CACHE)
    assert HELD in list(map(str, finding.evidence))
    assert finding.change is not None
    assert (finding.change.control, finding.change.value) == ("max_num_seqs", 6)
    assert str(finding.change.text) == "max_num_seqs 16 → 6."


def test_a_number_that_explains_nothing_is_not_named() -> None:
    """Six seats would fit by the mean, and yet the pool was full: those that ran were longer."""
    found = diagnose(_preempting(6, 5))
    finding = next(finding for finding in found.findings if finding.bottleneck is Bottleneck.KV_CACHE)
    assert HELD not in list(map(str, finding.evidence))
    assert finding.change is not None
    assert (finding.change.control, finding.change.value) == ("max_num_seqs", 4)


def test_a_single_seat_is_not_lowered() -> None:
    finding = next(
        one for one in diagnose(_preempting(1, 1)).findings if one.bottleneck is Bottleneck.KV_CACHE
    )
    assert finding.change is not None
    assert finding.change.control != "max_num_seqs"


def test_that_an_old_preemption_before_the_run_is_no_finding() -> None:
    found = diagnose(
        RunView(samples=samples(30, running=4, waiting=0, kv_usage=0.3, preemptions=9), limits=LIMITS)
    )
    assert found.findings == []


def test_that_a_full_pool_without_preemption_asks_for_more_memory() -> None:
    taken = samples(30, running=12, waiting=9, kv_usage=0.95)
    found = diagnose(RunView(samples=taken, limits={**LIMITS, "gpu_memory_utilization": 0.85}))
    assert bounds(found) == {Bottleneck.KV_CACHE}
    assert found.change is not None
    assert found.change.control == "gpu_memory_utilization"


def test_that_a_long_prompt_that_does_not_fit_the_free_blocks_is_the_kv_gate() -> None:
    taken = samples(30, running=4, waiting=1, kv_usage=0.6)
    record = RequestRecord(
        index=0, row=0, request_id="a", cls="long", input_tokens=9000, output_tokens=10, due=0.0, sent=0.0
    )
    found = diagnose(RunView(samples=taken, limits=LIMITS, records=[record], kv_cache_tokens=20_000))
    assert bounds(found) == {Bottleneck.KV_CACHE}
    assert "more KV blocks than are free" in str(found.findings[0].verdict)


def test_that_of_several_engines_nobody_knows_whose_blocks_the_head_needs() -> None:
    first = samples(30, running=4, waiting=1, kv_usage=0.6)
    second = [msgspec.structs.replace(one, engine="1", running=0, waiting=0, kv_usage=0.1) for one in first]
    record = RequestRecord(
        index=0, row=0, request_id="a", cls="long", input_tokens=9000, output_tokens=10, due=0.0, sent=0.0
    )
    view = RunView(samples=[*first, *second], limits=LIMITS, records=[record], kv_cache_tokens=20_000)
    assert Bottleneck.KV_CACHE not in bounds(diagnose(view))


def test_that_a_queue_with_seats_and_memory_free_and_flat_prefill_is_the_token_budget() -> None:
    taken = samples(30, running=10, waiting=40, kv_usage=0.4, prompt_rate=24_000)
    found = diagnose(RunView(samples=taken, limits=LIMITS))
    assert bounds(found) == {Bottleneck.BUDGET}
    assert found.findings[0].confidence == "high"
    assert found.change is not None
    assert (found.change.control, found.change.value) == ("max_num_batched_tokens", 16384)


def test_that_a_queue_without_any_prefill_is_a_blocked_head() -> None:
    found = diagnose(RunView(samples=samples(30, running=2, waiting=3, kv_usage=0.03), limits=LIMITS))
    assert bounds(found) == {Bottleneck.BLOCKED_HEAD}
    assert "memory isn't the limit" in str(found.findings[0].verdict)


def test_that_rejections_are_the_admission_limit_and_intended() -> None:
    taken = samples(30, running=32, waiting=8, kv_usage=0.4, rejected=lambda t: max(0, t - 5))
    found = diagnose(RunView(samples=taken, limits={**LIMITS, "max_num_queued_reqs": 40}))
    assert found.main is Bottleneck.ADMISSION
    assert "as intended: 25 rejected by max_num_queued_reqs 40" in str(found.findings[0].verdict)
    assert found.change is not None
    assert (found.change.control, found.change.value) == ("max_num_queued_reqs", 60)


def test_that_one_request_with_the_pool_is_named() -> None:
    found = diagnose(RunView(samples=samples(30, running=1, waiting=14, kv_usage=0.77), limits=LIMITS))
    assert bounds(found) == {Bottleneck.ONE_REQUEST}
    assert "77 %" in str(found.findings[0].verdict)


def test_that_one_seat_is_not_mistaken_for_one_owner() -> None:
    found = diagnose(
        RunView(samples=samples(30, running=1, waiting=14, kv_usage=0.77), limits={"max_num_seqs": 1})
    )
    assert bounds(found) == {Bottleneck.SEQUENCES}


def test_that_decode_standing_still_during_prefill_is_named() -> None:
    taken = samples(
        60, running=9, waiting=0, kv_usage=0.4, output_rate=between(20, 30, 5, 500),
        prompt_rate=between(20, 30, 8000, 100), done_rate=0,
    )  # fmt: skip
    found = diagnose(RunView(samples=taken, limits=LIMITS))
    assert bounds(found) == {Bottleneck.DECODE_STARVED}
    assert found.change is not None
    assert (found.change.control, found.change.value) == ("long_prefill_token_threshold", 2048)


def test_that_a_client_that_holds_back_is_the_limit_only_where_the_server_has_room() -> None:
    records = requests(100, every_s=0.5, released=8.0, sent=8.0, first_token=8.1, last_token=8.4, done=8.5)
    taken = samples(50, running=3, waiting=0, kv_usage=0.1)
    found = diagnose(RunView(samples=taken, limits={**LIMITS, "max_in_flight": 4}, records=records))
    assert bounds(found) == {Bottleneck.CLIENT}
    assert found.change is not None
    assert (found.change.control, found.change.value) == ("max_in_flight", 8)


def test_that_a_closed_loop_is_named_as_the_limit_of_the_load() -> None:
    records = requests(60, every_s=1.0, released=0, sent=0, first_token=0.1, last_token=3.9, done=4.0)
    found = diagnose(
        RunView(
            samples=samples(60, running=4, waiting=0, kv_usage=0.1),
            limits=LIMITS,
            records=records,
            concurrency=4,
        )
    )
    assert bounds(found) == {Bottleneck.CLIENT}
    assert "closed" in str(found.findings[0].verdict)


def test_that_requests_that_the_server_says_it_deferred_are_a_blocked_head_even_while_prompts_flow() -> None:
    """Four of a LoRA adapter too many: what else comes is served, so nothing but the reason tells."""
    taken = samples(60, running=20, waiting=4, deferred=4, kv_usage=0.3, prompt_rate=3000)
    found = diagnose(RunView(samples=taken, limits=LIMITS))
    assert bounds(found) == {Bottleneck.BLOCKED_HEAD}
    assert found.findings[0].confidence == "high"
    assert "Up to 4 deferred of 4 waiting." in list(map(str, found.findings[0].evidence))
    # The same queue for want of capacity is the token budget's.
    for reasons in ({"deferred": 0}, {}):
        same = samples(60, running=20, waiting=4, kv_usage=0.3, prompt_rate=3000, **reasons)
        assert bounds(diagnose(RunView(samples=same, limits=LIMITS))) == {Bottleneck.BUDGET}


def test_that_a_full_house_beside_deferred_requests_is_still_full() -> None:
    """Ten wait for seats beside two that wait for something else."""
    taken = samples(60, running=32, waiting=12, deferred=2, kv_usage=0.3, prompt_rate=3000)
    assert diagnose(RunView(samples=taken, limits=LIMITS)).main is Bottleneck.SEQUENCES
    # Only deferred ones wait: seats that are full keep nobody out.
    taken = samples(60, running=32, waiting=2, deferred=2, kv_usage=0.3, prompt_rate=3000)
    assert diagnose(RunView(samples=taken, limits=LIMITS)).main is Bottleneck.BLOCKED_HEAD


def test_that_requests_unknown_to_the_scheduler_hang_in_the_front_end() -> None:
    records = requests(120, every_s=0.5, released=0, sent=0, first_token=9.0, last_token=9.5, done=10.0)
    found = diagnose(
        RunView(samples=samples(60, running=2, waiting=0, kv_usage=0.1), limits=LIMITS, records=records)
    )
    assert bounds(found) == {Bottleneck.FRONT_END}


def test_that_a_minute_without_a_token_is_stuck() -> None:
    taken = samples(200, running=5, waiting=4, kv_usage=0.3, output_rate=between(0, 80, 500, 0),
                    done_rate=between(0, 80, 2, 0), prompt_rate=between(0, 80, 100, 0))  # fmt: skip
    found = diagnose(RunView(samples=taken, limits=LIMITS))
    assert Bottleneck.STUCK in bounds(found)
    assert found.main is Bottleneck.STUCK


def test_that_half_a_minute_without_a_token_is_not_stuck_yet() -> None:
    taken = samples(110, running=5, waiting=0, kv_usage=0.3, output_rate=between(0, 80, 500, 0), done_rate=0)
    assert Bottleneck.STUCK not in bounds(diagnose(RunView(samples=taken, limits=LIMITS)))


def test_that_waiting_with_an_empty_pool_is_a_livelock() -> None:
    taken = samples(30, running=0, waiting=6, kv_usage=0, output_rate=0, done_rate=0)
    found = diagnose(RunView(samples=taken, limits=LIMITS))
    assert bounds(found) == {Bottleneck.LIVELOCK}


def test_that_a_pool_that_fills_is_foretold() -> None:
    taken = samples(120, step_s=1.0, running=8, waiting=0, kv_usage=lambda t: 0.91 + 0.0004 * t)
    found = diagnose(RunView(samples=taken, limits=LIMITS))
    assert rules(found) == {"R4"}
    assert "105 s" in str(found.findings[0].verdict)


def test_that_a_late_client_makes_the_run_invalid_and_comes_first() -> None:
    figures = {"client_delay_ms": {"p99": 83.0}, "ttft_ms": {"p95": 180.0}}
    taken = samples(60, running=32, waiting=20, kv_usage=0.4)
    found = diagnose(RunView(samples=taken, limits=LIMITS, figures=figures))
    assert found.findings[0].rule == "R8"
    assert "client delay p99 83 ms > 10 ms" in str(found.findings[0].verdict)
    assert found.change is not None
    assert "workers" in str(found.change.text)


def test_that_a_late_client_is_named_where_too_few_requests_have_a_p99_to_show() -> None:
    why = "client-bound: client delay p99 83 ms > 10 ms"
    figures = {"client_delay_ms": {"p99": None}, "valid": False, "reasons": ["short outputs: 3", why]}
    found = diagnose(RunView(samples=samples(30, running=4, waiting=0), limits=LIMITS, figures=figures))
    assert found.findings[0].rule == "R8"
    assert (
        str(found.findings[0].verdict)
        == "Client-bound: client delay p99 83 ms > 10 ms; the run is not valid."
    )


def test_that_a_late_client_is_judged_in_wall_time_where_the_run_is_simulated() -> None:
    figures = {"client_delay_ms": {"p99": 14.1}, "ttft_ms": {"p95": 180.0}}
    taken = samples(60, running=32, waiting=20, kv_usage=0.4)
    fast = diagnose(RunView(samples=taken, limits=LIMITS, figures=figures, time_scale=4.0))
    assert "R8" not in rules(fast)
    late = {"client_delay_ms": {"p99": 60.0}, "ttft_ms": {"p95": 180.0}}
    found = diagnose(RunView(samples=taken, limits=LIMITS, figures=late, time_scale=4.0))
    assert "client delay p99 15 ms > 10 ms" in str(found.findings[0].verdict)
    # What asks too much of this machine is the clock: more workers would not slow it.
    assert found.change is not None
    assert str(found.change.text) == "time scale 1, or a quieter machine."


def test_that_more_workers_are_not_advised_where_all_cores_are_busy() -> None:
    figures = {"client_delay_ms": {"p99": 83.0}, "ttft_ms": {"p95": 180.0}}
    taken = samples(60, running=32, waiting=20, kv_usage=0.4)
    machine = [MachineSample(t=float(t), host_cpu=1.0) for t in range(10)]
    found = diagnose(RunView(samples=taken, limits=LIMITS, figures=figures, machine=machine))
    assert found.change is not None
    assert "quieter machine" in str(found.change.text)
    assert "load workers" not in str(found.change.text)


def test_that_an_impossible_ttft_of_the_server_is_not_believed() -> None:
    taken = samples(30, running=4, waiting=0, kv_usage=0.1,
                    ttft_count=lambda t: 10 * t, ttft_sum_s=lambda t: 0.0007 * t)  # fmt: skip
    found = diagnose(RunView(samples=taken, limits=LIMITS))
    assert rules(found) == {"R10"}
    assert "70 µs" in str(found.findings[0].verdict)


def test_that_long_first_tokens_without_queueing_point_elsewhere() -> None:
    figures = {"ttft_ms": {"p95": 4000.0}, "queue_ms": {"p95": 50.0}}
    found = diagnose(
        RunView(samples=samples(30, running=4, waiting=0, kv_usage=0.1), limits=LIMITS, figures=figures)
    )
    assert rules(found) == {"R12"}


def test_that_a_queue_that_never_settles_is_said_with_both_rates() -> None:
    figures = {"diverging": True, "offered_rps": 12.0, "completed_rps": 7.3}
    quiet = samples(30, running=4, waiting=0, kv_usage=0.1)
    found = diagnose(RunView(samples=quiet, limits=LIMITS, figures=figures))
    assert rules(found) == {"R19"}
    assert [str(each) for each in found.findings[0].evidence] == ["Offered 12 requests/s, completed 7.3."]
    for unknown in (False, None):
        steady = {**figures, "diverging": unknown}
        assert diagnose(RunView(samples=quiet, limits=LIMITS, figures=steady)).findings == []


def test_that_a_restart_is_said_before_anything_else() -> None:
    taken = samples(30, running=4, waiting=0, kv_usage=0.1)
    for sample in taken[60:]:
        sample.generation_tokens = 1.0
    assert "restarted" in str(diagnose(RunView(samples=taken, limits=LIMITS)).findings[0].verdict)
