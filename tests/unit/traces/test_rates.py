"""Rates that change over a run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import InputError
from workbench.traces import RateProfile, bursts, open_loop, parse_profile, ramp, steps, synthetic_trace

TRACE = synthetic_trace(8, 2, 100)
stretch = st.tuples(st.floats(0.1, 50), st.floats(0, 100), st.floats(0.1, 100))


@given(st.lists(stretch, min_size=1, max_size=5), st.floats(0, 500))
def test_that_times_and_requests_brought_are_inverse(stretches, requests):
    profile = RateProfile(tuple(stretches))
    time = profile.times_for(np.array([requests]))[0]
    assert profile.requests_by(time) == pytest.approx(requests, rel=1e-6, abs=1e-6)


def test_that_a_flat_profile_gives_the_arrivals_of_its_rate():
    flat = open_loop(TRACE, rate=steps([(5, 10), (5, 20)]), arrivals="poisson", requests=300).due_s
    assert flat == pytest.approx(open_loop(TRACE, rate=5, arrivals="poisson", requests=300).due_s, abs=1e-5)


def test_that_a_ramp_brings_more_towards_its_end():
    due = open_loop(TRACE, rate=ramp(0, 100, 100), arrivals="poisson", duration_s=100).due_s
    counts = np.histogram(due, bins=4, range=(0, 100))[0]
    assert counts == pytest.approx([312, 937, 1562, 2187], rel=0.15)


@pytest.mark.parametrize("arrivals", ["poisson", "gamma", "constant"])
def test_that_a_number_of_requests_fills_the_time_in_which_the_profile_brings_it(arrivals):
    schedule = open_loop(TRACE, rate=steps([(5, 10), (20, 10)]), arrivals=arrivals, requests=150)
    assert len(schedule) == 150
    assert schedule.length_s == pytest.approx(15)  # 50 in the first 10 s, 100 in the next 5
    assert schedule.due_s[-1] < 15
    assert (schedule.due_s >= 10).sum() == pytest.approx(100, abs=25)


def test_that_bursts_come_at_their_period():
    profile = bursts(2, 50, 30, 5)
    due = open_loop(TRACE, rate=profile, arrivals="constant", duration_s=300).due_s
    in_burst = (due % 30) >= 25
    assert in_burst.sum() == pytest.approx(10 * 250, abs=10)
    assert (~in_burst).sum() == pytest.approx(10 * 50, abs=10)
    assert profile.scaled_to(5).mean_rate == pytest.approx(5)


def test_that_profiles_are_read_from_text():
    assert parse_profile("ramp:2:20:120") == ramp(2, 20, 120)
    assert parse_profile("steps:4@60,12@60") == steps([(4, 60), (12, 60)])
    assert parse_profile("bursts:4:20:30:5") == bursts(4, 20, 30, 5)


@pytest.mark.parametrize(
    "text", ["", "ramp:1:2", "steps:4", "steps:4@x", "wave:1:2:3", "ramp:1:2:3:4", "bursts:1:2:3"]
)
def test_that_other_texts_are_refused_with_the_known_forms(text):
    with pytest.raises(InputError, match="ramp:FROM:TO:SECONDS"):
        parse_profile(text)


@pytest.mark.parametrize(
    "text", ["ramp:-1:2:3", "ramp:0:0:3", "ramp:1:2:0", "bursts:1:2:3:3", "ramp:nan:1:2"]
)
def test_that_impossible_profiles_are_refused(text):
    with pytest.raises(InputError):
        parse_profile(text)


def test_that_own_times_can_t_have_a_profile():
    with pytest.raises(InputError, match="replaces the trace's times"):
        open_loop(TRACE, rate=ramp(1, 2, 3))
