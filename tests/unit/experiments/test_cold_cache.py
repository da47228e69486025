"""What a cold prefix cache can serve of a run, at most."""

import pytest

from workbench.experiments.run.run_figures import cold_hit_share
from workbench.load import LoadOptions
from workbench.traces import closed_loop, make_mix, open_loop, synthetic_trace

SALTED = LoadOptions(cache_salt="run")


def test_that_a_trace_without_shared_blocks_allows_no_hit_however_often_it_repeats() -> None:
    trace = synthetic_trace(50, 12, n=10, seed=1)
    schedule = open_loop(trace, rate=10.0, requests=35, seed=1)
    assert cold_hit_share(trace, schedule, SALTED, "completions", 35) == 0.0


def test_that_a_pass_over_shared_blocks_allows_more_the_second_time() -> None:
    trace = make_mix("agent", requests=40, rate=4.0, seed=1)
    schedule = open_loop(trace, rate=4.0, requests=80, seed=1)
    once, twice = (cold_hit_share(trace, schedule, SALTED, "completions", n) for n in (40, 80))
    assert once is not None
    assert twice is not None
    assert 0 < once < twice
    assert twice == pytest.approx((once + 1) / 2)


def test_that_of_a_closed_loop_the_requests_sent_count() -> None:
    trace = make_mix("agent", requests=40, rate=4.0, seed=1)
    schedule = closed_loop(trace, concurrency=2, duration_s=10.0)
    shares = [cold_hit_share(trace, schedule, SALTED, "completions", n) for n in (1, 40, 400)]
    assert shares[0] == 0.0
    assert shares[1] is not None
    assert shares[2] == pytest.approx((shares[1] + 9) / 10)


@pytest.mark.parametrize(
    ("options", "endpoint"),
    [
        (LoadOptions(), "completions"),
        (SALTED, "chat"),
        (LoadOptions(cache_salt="run", input_mode="text"), "completions"),
        (LoadOptions(cache_salt="run", max_retries=1), "completions"),
    ],
)
def test_that_nothing_is_claimed_where_the_cache_or_the_tokens_are_not_ours(
    options: LoadOptions, endpoint: str
) -> None:
    trace = synthetic_trace(50, 12, n=10, seed=1)
    schedule = open_loop(trace, rate=10.0, requests=10, seed=1)
    assert cold_hit_share(trace, schedule, options, endpoint, 10) is None
