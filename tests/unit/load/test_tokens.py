import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.load.token_times import TokenTimes


def _arrivals(*arrivals: tuple[float, int]) -> TokenTimes:
    times = TokenTimes()
    for stamp, count in arrivals:
        times.arrive(stamp, count)
    return times


def test_that_gaps_lie_between_reads_and_count_their_tokens() -> None:
    times = _arrivals((1.0, 1), (1.01, 4), (1.03, 2))
    assert (times.first, times.last, times.first_count, times.total) == (1.0, 1.03, 1, 7)
    assert np.allclose(np.frombuffer(times.gaps_ms(), "<f4"), [10.0, 20.0])
    assert np.frombuffer(times.gap_tokens(), "<u2").tolist() == [4, 2]


def test_that_events_of_one_read_are_one_arrival() -> None:
    times = _arrivals((1.0, 1), (1.0, 2), (1.5, 1), (1.5, 1))
    assert times.first_count == 3
    assert np.frombuffer(times.gap_tokens(), "<u2").tolist() == [2]
    assert times.arrivals == 2


def test_that_one_token_an_arrival_needs_no_counts() -> None:
    assert _arrivals((1.0, 1), (1.1, 1), (1.2, 1)).gap_tokens() == b""


@given(
    st.lists(st.tuples(st.floats(0.001, 1.0), st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=50),
    st.integers(1, 500),
)
def test_that_counts_always_add_up(arrivals: list[tuple[float, int, int]], total: int) -> None:
    def counted(times: TokenTimes) -> int:
        counts = np.frombuffer(times.gap_tokens(), "<u2")
        later = int(counts.sum()) if times.gap_tokens() else len(times.gaps_ms()) // 4
        return times.first_count + later

    def arrived() -> TokenTimes:
        times, stamp = TokenTimes(), 0.0
        for gap, count, events in arrivals:
            stamp += gap
            times.arrive(stamp, count, events)
        return times

    by_counts, by_events, unknown = arrived(), arrived(), arrived()
    by_counts.by_counts()
    assert counted(by_counts) == by_counts.total == sum(count for _, count, _ in arrivals)
    by_events.by_events()
    events = sum(events for _, _, events in arrivals)
    assert by_events.total == events
    assert by_events.first is None or counted(by_events) == events
    unknown.without_counts(total)
    assert unknown.total == total
    assert sum(np.frombuffer(unknown.gap_tokens(), "<u2")) == 0


def test_that_the_reads_without_output_are_no_arrivals_where_events_are_counted() -> None:
    times = TokenTimes()
    for stamp, tokens, events in ((1.0, 1, 0), (1.5, 1, 1), (1.6, 2, 0), (1.8, 1, 1), (2.0, 3, 0)):
        times.arrive(stamp, tokens, events)
    times.by_events()
    assert (times.first, times.last) == pytest.approx((1.5, 1.8))
    assert np.allclose(np.frombuffer(times.gaps_ms(), "<f4"), [300.0])
    assert (times.first_count, times.gap_tokens(), times.total) == (1, b"", 2)


def test_that_the_reads_without_new_tokens_are_no_arrivals_where_tokens_are_counted() -> None:
    times = TokenTimes()
    for stamp, tokens, events in ((1.0, 4, 1), (1.5, 0, 1), (1.6, 2, 1), (1.8, 0, 1)):
        times.arrive(stamp, tokens, events)
    times.by_counts()
    assert (times.first, times.last) == pytest.approx((1.0, 1.6))
    assert np.allclose(np.frombuffer(times.gaps_ms(), "<f4"), [600.0])
    assert (times.first_count, np.frombuffer(times.gap_tokens(), "<u2").tolist()) == (4, [2])


def test_that_output_without_any_event_has_no_times() -> None:
    times = TokenTimes()
    times.arrive(1.0, 8, 0)
    times.by_events()
    assert (times.first, times.last, times.arrivals) == (None, None, 0)


def test_that_no_more_than_six_bytes_are_kept_for_a_token() -> None:
    times = TokenTimes()
    for i in range(1000):
        times.arrive(i * 0.01, 1 + i % 2)
    assert len(times.gaps_ms()) + len(times.gap_tokens()) <= 6 * 1000


def test_that_a_stamp_some_microseconds_before_the_last_is_no_negative_gap() -> None:
    times = _arrivals((1.0, 1), (1.01, 1), (1.009_990, 2), (1.02, 1))
    assert (np.frombuffer(times.gaps_ms(), "<f4") > 0).all()
    assert (times.last, times.total) == (1.02, 5)
