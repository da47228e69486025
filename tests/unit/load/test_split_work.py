import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.load.playing import rows, schedule_at
from workbench.load import LoadOptions
from workbench.load.split_work import portion, requests_of, split, worker_count
from workbench.traces import Trace, TraceRow, closed_loop, open_loop, synthetic_trace


@given(st.integers(1, 200), st.integers(1, 9))
def test_that_each_request_has_one_worker_and_shares_are_even(count: int, workers: int) -> None:
    trace = synthetic_trace(8, 3, count)
    shares = split(requests_of(trace, open_loop(trace, rate=10.0), LoadOptions()), workers)
    assert sorted(request.index for share in shares for request in share) == list(range(count))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_that_turns_of_a_session_stay_together() -> None:
    schedule = schedule_at(0, 1, 2, 3, 4, after=[-1, -1, 0, 1, 2], delay_s=[0.0] * 5)
    shares = split(requests_of(Trace.from_rows(rows(5)), schedule, LoadOptions()), 2)
    assert [[request.index for request in share] for share in shares] == [[0, 2, 4], [1, 3]]


@given(st.integers(1, 1000), st.integers(1, 16))
def test_that_portions_add_up(total: int, workers: int) -> None:
    portions = [portion(total, workers, worker) or 0 for worker in range(workers)]
    assert sum(portions) == total
    assert max(portions) - min(portions) <= 1
    assert portion(None, workers, 0) is None


def test_that_a_cap_or_few_slots_bound_the_workers_so_that_each_has_a_place() -> None:
    trace = synthetic_trace(8, 3, 100)
    schedule = open_loop(trace, rate=10.0)
    assert worker_count(trace, schedule, LoadOptions(workers=4)) == 4
    assert worker_count(trace, schedule, LoadOptions(workers=4, max_in_flight=2)) == 2
    assert worker_count(trace, closed_loop(trace, concurrency=3, requests=100), LoadOptions(workers=8)) == 3
    assert worker_count(trace, schedule, LoadOptions()) == 1


def test_that_the_cores_of_the_machine_on_which_workers_run_bound_their_number() -> None:
    """One core is the server's or the conductor's; a rate takes a worker for each 25,000 tokens a second."""
    trace = synthetic_trace(8, 1_000, 4_000)
    schedule = open_loop(trace, rate=100.0, arrivals="constant")
    counts = [worker_count(trace, schedule, LoadOptions(), cores) for cores in (1, 2, 4, 64)]
    assert counts[:3] == [1, 1, 3]
    assert counts[3] in {4, 5}


def test_that_times_are_divided_by_the_time_scale() -> None:
    trace = Trace.from_rows(
        [TraceRow(timestamp=0.0, input_length=8, output_length=3, cancel_after_ms=500.0)] * 2
    )
    schedule = schedule_at(0, 10.0, after=[-1, 0], delay_s=[np.nan, 4.0])
    first, second = requests_of(trace, schedule, LoadOptions(time_scale=5.0))
    assert (first.due_s, second.due_s) == (0.0, 2.0)
    assert (second.after, second.think_s) == (0, pytest.approx(0.8))
    assert first.cancel_s == pytest.approx(0.1)


def test_that_warm_up_runs_at_the_schedules_mean_rate_before_it() -> None:
    trace = synthetic_trace(8, 3, 100)
    requests = requests_of(trace, open_loop(trace, rate=5.0, requests=100), LoadOptions(warmup_s=4.0))
    warm = [request for request in requests if request.warmup]
    assert len(warm) == 20
    assert warm[0].due_s == pytest.approx(-4.0)
    assert all(request.due_s is not None and request.due_s < 0 for request in warm)


def test_that_a_trace_that_repeats_says_which_pass_it_is() -> None:
    trace = synthetic_trace(8, 3, 3)
    requests = requests_of(trace, open_loop(trace, rate=5.0, requests=7), LoadOptions())
    assert [(request.row, request.cycle) for request in requests] == [
        (0, 0),
        (1, 0),
        (2, 0),
        (0, 1),
        (1, 1),
        (2, 1),
        (0, 2),
    ]
