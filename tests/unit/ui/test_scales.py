import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.plots.scales import LABEL_ROOM, lines_apart, next_end, next_top, nice_ceiling, tick_texts, time_texts


@given(st.floats(min_value=1e-6, max_value=1e9))
def test_that_the_top_of_an_axis_is_round_and_holds_the_data(value):
    top = nice_ceiling(value)
    assert value * (1 - 1e-6) <= top <= value * 2.01


def test_that_an_axis_without_data_still_has_a_top():
    assert nice_ceiling(0.0) == 1.0


def test_that_an_axis_grows_at_once_but_shrinks_only_when_much_is_empty():
    assert next_top(10.0, 11.0) > 11.0
    assert next_top(10.0, 6.0) == 10.0
    assert next_top(10.0, 1.0) < 2.0


def test_that_the_time_axis_spans_the_run_and_moves_in_steps_after_it():
    end = next_end(0.0, 60.0, 10.0)
    assert end == pytest.approx(60 * LABEL_ROOM)
    later = next_end(end, 60.0, 61.0)
    assert later > end
    assert next_end(later, 60.0, 61.5) == later


def test_that_ticks_of_one_axis_are_written_alike():
    assert tick_texts([500, 1000, 1500], 500, 2500) == ["0.5k", "1k", "1.5k"]
    assert tick_texts([0, 0.5], 0.5, 1.0) == ["0.0", "0.5"]


def test_that_long_times_read_as_minutes():
    assert time_texts([0, 300, 600], 300) == ["0:00", "5:00", "10:00"]
    assert time_texts([0, 300], 300)[-1] == "5:00"


def test_that_the_last_time_of_an_axis_has_the_unit():
    assert time_texts([0, 20, 40], 20) == ["0", "20", "40\N{NO-BREAK SPACE}s"]
    assert time_texts([0.0, 0.5], 0.5) == ["0.0", "0.5\N{NO-BREAK SPACE}s"]
    assert time_texts([-5, 0], 5) == ["−5", "0\N{NO-BREAK SPACE}s"]
    assert time_texts([], 20) == []
    assert time_texts([0, 20, 40], 20, last=39.0) == ["0", "20\N{NO-BREAK SPACE}s", "40"]


def test_that_numbers_of_a_low_plot_never_stand_in_each_other():
    assert [lines_apart(pixels, 12.0) for pixels in (40.0, 12.0, 9.0, 5.0)] == [1, 1, 2, 3]
    assert lines_apart(0.0, 12.0) == 1
