import heapq

import numpy as np
import pytest

from tests.unit.results.making import request, unanswered
from workbench.results import RunFrame, columns_from_records, summarize_run
from workbench.results.figures.drift import drift

SEATS, SERVICE_S = 16, 2.0
CAPACITY = SEATS / SERVICE_S


def queue(seed, load, length_s):
    """Due times and waits: 16 seats, 2 s of service, Poisson arrivals at `load` x capacity."""
    rng = np.random.default_rng(seed)
    due = np.cumsum(rng.exponential(1 / (load * CAPACITY), int(load * CAPACITY * length_s * 1.5) + 50))
    due = due[due < length_s]
    free, waits = [0.0] * SEATS, []
    for arrival, service in zip(due, rng.gamma(11, SERVICE_S / 11, due.size), strict=True):
        begun = max(heapq.heappop(free), arrival)
        heapq.heappush(free, begun + service)
        waits.append(begun - arrival)
    return due, np.array(waits)


def records(due, waits, ended=1e9):
    return [
        request(i, due=d, ttft=w + 0.05, gaps_ms=b"") if d + w + 0.05 < ended else unanswered(i, due=d)
        for i, (d, w) in enumerate(zip(due.tolist(), waits.tolist(), strict=True))
    ]


def judged(seed, load, length_s=60.0, ended=1e9):
    return drift(
        columns_from_records(records(*queue(seed, load, length_s), ended=ended)), scale=1.0, ended=ended
    )


def test_that_past_capacity_a_run_diverges_with_the_slope_of_the_overload():
    found = judged(1, load=1.65)
    assert found.diverging
    # A request due at t waits for t (load - 1).
    assert found.lo < 0.65 < found.hi
    assert found.slope == pytest.approx(0.65, abs=0.15)


def test_that_a_run_is_found_diverging_though_its_last_requests_were_never_answered():
    found = judged(2, load=1.65, ended=60.0)
    assert found.diverging
    assert found.slope == pytest.approx(0.65, abs=0.3)


def test_that_a_stable_run_rarely_looks_diverging():
    assert sum(judged(seed, load=0.9).diverging for seed in range(20)) <= 1


def test_that_a_ramp_that_fills_an_empty_server_is_no_divergence():
    due = np.arange(0, 60, 0.1)
    waits = np.minimum(due, 5.0) * 0.1 + np.random.default_rng(3).normal(0.05, 0.01, due.size)
    assert not drift(columns_from_records(records(due, waits)), scale=1.0, ended=1e9).diverging


def test_that_a_slope_without_growing_numbers_is_no_divergence():
    due = np.arange(0, 60, 0.1)
    found = drift(columns_from_records(records(due, due * 1e-4)), scale=1.0, ended=1e9)
    assert found.lo > 0
    assert not found.diverging


def test_that_too_few_requests_say_nothing():
    assert (
        drift(columns_from_records([request(i, due=float(i)) for i in range(50)]), scale=1.0, ended=99)
        is None
    )


def test_that_the_slope_of_a_simulated_run_is_the_same_at_any_time_scale():
    due, waits = queue(4, 1.65, 60.0)
    slow = summarize_run(records(due, waits), RunFrame(length_s=60.0))
    fast = records(due / 20, waits / 20)
    for record in fast:
        record.first_token = record.due + (record.first_token - record.due - 0.05) + 0.05 / 20
    quick = summarize_run(fast, RunFrame(length_s=60.0, time_scale=20.0))
    assert quick.drift.slope == pytest.approx(slow.drift.slope, rel=1e-6)
    assert quick.diverging is slow.diverging is True


@pytest.mark.slow
def test_that_at_most_one_stable_run_in_twenty_is_called_diverging():
    calls = [judged(seed, load, 120.0).diverging for load in (0.5, 0.8, 0.9, 0.95) for seed in range(60)]
    assert np.mean(calls) <= 0.05


@pytest.mark.slow
def test_that_a_load_of_a_fifth_above_capacity_is_found_in_a_minute_or_two():
    assert np.mean([judged(seed, 1.2, 60.0).diverging for seed in range(60)]) >= 0.8
    assert np.mean([judged(seed, 1.2, 120.0).diverging for seed in range(60)]) >= 0.95


def test_that_turns_that_fall_due_after_the_schedule_do_not_hide_an_overload():
    """Sessions go on while the server empties, where TTFT falls: that says nothing of its capacity."""
    due, waits = queue(3, load=1.65, length_s=60.0)
    late = 60.0 + np.arange(due.size) / 6
    falling = np.linspace(waits[-1], 0.0, late.size)
    both = records(np.concatenate([due, late]), np.concatenate([waits, falling]))
    assert summarize_run(both, RunFrame(length_s=60.0)).diverging is True
