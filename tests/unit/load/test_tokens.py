import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from workbench.load.tokens import TokenTimes


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


def test_that_a_known_sum_is_shared_over_the_arrivals_after_the_first() -> None:
    times = _arrivals((1.0, 1), (1.1, 1), (1.2, 1), (1.3, 1))
    times.spread(11)
    assert times.first_count == 1
    assert np.frombuffer(times.gap_tokens(), "<u2").tolist() == [3, 3, 4]
    assert times.total == 11


@given(
    st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(1, 9)), min_size=1, max_size=50), st.integers(1, 500)
)
def test_that_counts_always_add_up(arrivals: list[tuple[float, int]], total: int) -> None:
    times = TokenTimes()
    stamp = 0.0
    for gap, count in arrivals:
        stamp += gap
        times.arrive(stamp, count)
    expected = sum(count for _, count in arrivals)

    def counted() -> int:
        counts = np.frombuffer(times.gap_tokens(), "<u2")
        later = int(counts.sum()) if times.gap_tokens() else len(times.gaps_ms()) // 4
        return times.first_count + later

    assert counted() == expected == times.total
    times.spread(total)
    assert counted() == total == times.total


def test_that_no_more_than_six_bytes_are_kept_for_a_token() -> None:
    times = TokenTimes()
    for i in range(1000):
        times.arrive(i * 0.01, 1 + i % 2)
    assert len(times.gaps_ms()) + len(times.gap_tokens()) <= 6 * 1000


def test_that_a_stamp_some_microseconds_before_the_last_is_no_negative_gap() -> None:
    times = _arrivals((1.0, 1), (1.01, 1), (1.009_990, 2), (1.02, 1))
    assert (np.frombuffer(times.gaps_ms(), "<f4") > 0).all()
    assert (times.last, times.total) == (1.02, 5)
