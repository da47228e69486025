"""Schedules: open loop by own times or by a seeded process, closed loop, and their identity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import InputError
from workbench.traces import Trace, TraceRow, closed_loop, mean_rate, open_loop, synthetic_trace


def trace_at(*times_ms: float) -> Trace:
    return Trace.from_rows([TraceRow(timestamp=t, input_length=8, output_length=2) for t in times_ms])


BURSTY = trace_at(0, 0, 100, 4000)
UNIFORM = synthetic_trace(8, 2, 100)


def test_that_a_trace_keeps_its_own_times_without_a_rate():
    schedule = open_loop(BURSTY)
    assert schedule.due_s.tolist() == [0.0, 0.0, 0.1, 4.0]
    assert schedule.length_s == pytest.approx(4 + 4 / 3)


def test_that_speedup_divides_the_times():
    assert open_loop(BURSTY, speedup=4).due_s.tolist() == [0.0, 0.0, 0.025, 1.0]


def test_that_a_rate_scales_the_times_linearly_to_that_mean():
    schedule = open_loop(BURSTY, rate=2)
    assert schedule.due_s.tolist() == [0.0, 0.0, 0.0375, 1.5]
    assert schedule.length_s == 2.0
    assert len(schedule) / schedule.length_s == 2


@given(rate=st.floats(0.01, 1000), requests=st.integers(1, 300))
def test_that_the_offered_rate_is_the_rate_asked_however_many_requests(rate, requests):
    schedule = open_loop(UNIFORM, rate=rate, requests=requests)
    assert len(schedule) == requests
    assert schedule.length_s is not None
    assert requests / schedule.length_s == pytest.approx(rate)
    assert schedule.due_s[-1] < schedule.length_s + 1e-6


PROCESSES = ["poisson", "gamma", "constant"]


@pytest.mark.parametrize("arrivals", PROCESSES)
@given(seed=st.integers(1, 1000), rate=st.floats(0.01, 1000), requests=st.integers(1, 60))
def test_that_drawn_arrivals_of_a_number_fill_the_time_that_it_takes_at_the_rate(
    arrivals, seed, rate, requests
):
    schedule = open_loop(UNIFORM, rate=rate, arrivals=arrivals, seed=seed, requests=requests)
    assert schedule.length_s == pytest.approx(requests / rate)
    assert len(schedule) == requests
    assert schedule.due_s[0] >= 0
    assert schedule.due_s[-1] <= schedule.length_s + 1e-6
    assert (np.diff(schedule.due_s) >= 0).all()


@pytest.mark.parametrize("arrivals", [*PROCESSES, "trace"])
@given(seed=st.integers(1, 50), requests=st.integers(1, 300), duration_s=st.floats(1, 40))
def test_that_of_two_bounds_the_first_that_is_reached_ends_the_schedule(arrivals, seed, requests, duration_s):
    schedule = open_loop(
        UNIFORM, rate=5, arrivals=arrivals, seed=seed, requests=requests, duration_s=duration_s
    )
    assert len(schedule) <= requests
    assert schedule.length_s == pytest.approx(min(duration_s, requests / 5))
    assert not len(schedule) or schedule.due_s[-1] <= schedule.length_s + 1e-6


def test_that_poisson_arrivals_of_a_number_are_uniform_over_their_time():
    due = open_loop(UNIFORM, rate=4, arrivals="poisson", seed=7, requests=40_000).due_s
    counts = np.histogram(due, bins=100, range=(0, 10_000))[0]
    # Chi-square of 99 degrees of freedom: 99 +- 14.
    assert ((counts - 400) ** 2 / 400).sum() == pytest.approx(99, abs=5 * 14)


def test_that_a_shorter_trace_repeats_from_its_first_row_one_mean_gap_later():
    schedule = open_loop(trace_at(0, 1000, 2000), requests=7)
    assert schedule.rows.tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert schedule.due_s.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert schedule.row_of(7) == (1, 2)


def test_that_a_duration_keeps_what_is_due_within_it():
    schedule = open_loop(BURSTY, duration_s=4)
    assert schedule.due_s.tolist() == [0.0, 0.0, 0.1]
    assert schedule.length_s == 4
    assert len(open_loop(BURSTY, duration_s=60)) == 47
    assert len(open_loop(UNIFORM, rate=10, duration_s=30)) == 300
    assert len(open_loop(UNIFORM, rate=10, duration_s=30, requests=7)) == 7
    assert len(open_loop(trace_at(0), duration_s=30)) == 1


def test_that_constant_arrivals_begin_at_zero_and_are_evenly_spaced():
    schedule = open_loop(BURSTY, rate=4, arrivals="constant", requests=5)
    assert schedule.due_s.tolist() == [0, 0.25, 0.5, 0.75, 1.0]
    assert schedule.length_s == 1.25
    assert len(open_loop(BURSTY, rate=4, arrivals="constant", duration_s=2)) == 8


@pytest.mark.parametrize("form", [1, 2])
def test_that_poisson_gaps_are_exponential(form):
    due = open_loop(UNIFORM, rate=10, arrivals="poisson", seed=3, requests=100_000, form=form).due_s
    gaps = np.diff(due, prepend=0)
    assert gaps.mean() == pytest.approx(0.1, rel=0.02)
    assert gaps.std() / gaps.mean() == pytest.approx(1, rel=0.02)


@pytest.mark.parametrize(("burstiness", "cv"), [(0.25, 2.0), (1.0, 1.0), (4.0, 0.5)])
def test_that_burstiness_is_the_gamma_shape_of_the_gaps(burstiness, cv):
    due = open_loop(UNIFORM, rate=10, arrivals="gamma", burstiness=burstiness, requests=100_000).due_s
    gaps = np.diff(due, prepend=0)
    assert gaps.mean() == pytest.approx(0.1, rel=0.03)
    assert gaps.std() / gaps.mean() == pytest.approx(cv, rel=0.03)


def test_that_the_number_that_a_duration_brings_is_chance():
    counts = [
        len(open_loop(UNIFORM, rate=10, arrivals="poisson", seed=seed, duration_s=10))
        for seed in range(1, 201)
    ]
    assert np.mean(counts) == pytest.approx(100, abs=3)
    assert np.std(counts) == pytest.approx(10, abs=2)


def test_that_poisson_arrivals_are_pinned_by_seed():
    drawn = open_loop(UNIFORM, rate=1, arrivals="poisson", seed=1, requests=4)
    assert drawn.due_s.tolist() == [0.561598, 1.326125, 2.059025, 2.435476]
    assert drawn.sha256() == open_loop(UNIFORM, rate=1, arrivals="poisson", seed=1, requests=4).sha256()
    assert drawn.sha256() != open_loop(UNIFORM, rate=1, arrivals="poisson", seed=2, requests=4).sha256()


def test_that_schedules_of_older_bench_files_are_pinned_as_they_were():
    drawn = open_loop(UNIFORM, rate=1, arrivals="poisson", seed=1, requests=4, form=1)
    assert drawn.due_s.tolist() == [1.556235, 3.674804, 5.705732, 6.748909]
    assert drawn.length_s == pytest.approx(7.748909)
    by_number = open_loop(UNIFORM, rate=10, arrivals="poisson", seed=5, requests=5000, form=1).due_s
    by_duration = open_loop(UNIFORM, rate=10, arrivals="poisson", seed=5, duration_s=450, form=1).due_s
    assert by_duration.tolist() == by_number[: len(by_duration)].tolist()
    assert by_number[len(by_duration)] >= 450
    both = open_loop(UNIFORM, rate=10, arrivals="poisson", requests=20, duration_s=30, form=1)
    assert (len(both), both.length_s) == (20, 30)
    gamma = open_loop(UNIFORM, rate=10, arrivals="gamma", burstiness=0.5, requests=50, form=1)
    assert gamma.sha256() == "50ac76e27a3ecc828a3db9f6369588075c25859edee2da00e2f4f0a967a5cb46"


def test_that_arrivals_without_a_rate_have_the_trace_s_own_mean_rate():
    assert mean_rate(BURSTY) == pytest.approx(0.75)
    assert open_loop(BURSTY, arrivals="constant", speedup=2).due_s.tolist() == pytest.approx(
        [0, 2 / 3, 4 / 3, 2], abs=1e-6
    )


def test_that_own_times_have_exactly_the_rate_asked_and_random_ones_only_nearly():
    own = open_loop(BURSTY, rate=7, duration_s=52)
    assert len(own) == 7 * 52
    assert (len(own) - 1) / (own.due_s[-1] - own.due_s[0]) == pytest.approx(7, rel=1e-6)
    random = open_loop(BURSTY, rate=7, duration_s=52, arrivals="poisson")
    assert len(random) != 7 * 52
    assert len(random) == pytest.approx(7 * 52, abs=4 * (7 * 52) ** 0.5)


def test_that_a_duration_that_no_whole_number_of_requests_fills_has_the_whole_ones_below():
    schedule = open_loop(BURSTY, rate=7, duration_s=51.8)
    assert (len(schedule), schedule.length_s) == (362, 51.8)


def test_that_the_schedule_s_identity_is_its_due_times_in_microseconds():
    same = open_loop(UNIFORM, rate=10, requests=50).sha256()
    assert open_loop(synthetic_trace(99, 9, 100), rate=10, requests=50).sha256() == same
    assert open_loop(UNIFORM, rate=11, requests=50).sha256() != same
    assert open_loop(UNIFORM, rate=10, requests=51).sha256() != same
    assert same == "34905f46af2be6af3a9b89c3ffe49105d76ffe2ca2b17f62f6cd089ae6407279"


def test_that_a_closed_loop_has_slots_and_no_due_times():
    schedule = closed_loop(UNIFORM, concurrency=8, requests=250)
    assert (len(schedule), schedule.concurrency, schedule.length_s, len(schedule.due_s)) == (250, 8, None, 0)
    by_time = closed_loop(UNIFORM, concurrency=8, duration_s=60)
    assert (len(by_time), by_time.requests, by_time.length_s) == (100, None, 60)
    assert schedule.sha256() != by_time.sha256()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rate": 0}, "rate: 0 must be a number greater than 0"),
        ({"rate": float("nan")}, "rate: nan must be a number greater than 0"),
        ({"requests": -1}, "requests: -1 must be a number greater than 0"),
        ({"speedup": float("inf")}, "speedup: inf must be a number greater than 0"),
        ({"rate": 1, "arrivals": "bursty"}, "must be one of trace, poisson, constant, gamma"),
        ({"rate": 1, "arrivals": "gamma", "burstiness": 0}, "burstiness: 0 must be greater than 0"),
        ({"rate": 1e9, "arrivals": "poisson", "duration_s": 1e9}, "at most 20,000,000"),
        ({"rate": 1e9, "duration_s": 1e9}, "at most 20,000,000"),
    ],
)
def test_that_arguments_out_of_range_are_refused_in_one_line(arguments, message):
    with pytest.raises(InputError, match=message):
        open_loop(UNIFORM, **arguments)


def test_that_times_all_alike_can_t_be_scaled():
    with pytest.raises(InputError, match="choose arrivals"):
        open_loop(trace_at(0, 0), rate=2)
    with pytest.raises(InputError, match="no rate of its own"):
        open_loop(trace_at(0, 0), arrivals="poisson")
    assert open_loop(trace_at(0, 0), rate=2, arrivals="constant").due_s.tolist() == [0, 0.5]
