import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.language import number_text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.68, "0.680"), (7.3, "7.30"), (12.0, "12.0"), (9.999, "10.0"), (99.96, "100"), (1234.0, "1,230"),
        (0.00456, "0.00456"), (0, "0"), (-2.5, "−2.50"), (None, "–"), (math.nan, "–"), (math.inf, "–"),
    ],
)  # fmt: skip
def test_that_figures_have_three_significant_digits(value, shown):
    assert number_text.significant(value) == shown


@given(st.floats(min_value=1e-6, max_value=1e9))
def test_that_no_figure_is_off_by_more_than_half_a_digit_of_the_third(value):
    shown = float(number_text.significant(value).replace(",", ""))
    assert shown == pytest.approx(value, rel=0.005001)


@pytest.mark.parametrize(
    ("value", "base", "shown"),
    [
        (0.5, 1.0, "−50 %"),
        (2.0, 1.0, "+100 %"),
        (1.001, 1.0, "±0 %"),
        (60.0, 1.0, "×60"),
        (33942.42, 1.0, "×33,942"),
        (11.0, 1.0, "×11"),
        (10.4, 1.0, "×10"),
        (9.0, 1.0, "+800 %"),
        (-20.0, 1.0, "−2,100 %"),
        (-1.0, 1.0, "−200 %"),
    ],
)
def test_that_a_difference_carries_its_sign(value, base, shown):
    assert number_text.signed_percent(value, base).replace(number_text.NARROW_SPACE, " ") == shown


def test_that_a_difference_to_nothing_has_no_percent():
    assert number_text.signed_percent(3.0, 0.0) is None


@pytest.mark.parametrize(("seconds", "shown"), [(41.2, "0:42"), (3725, "1:02:05"), (0, "0:00"), (None, "–")])
def test_that_time_left_reads_as_a_clock(seconds, shown):
    assert number_text.clock(seconds) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.2, "1 s"), (40, "40 s"), (700, "12 min"), (12600, "3.5 h")]
)
def test_that_a_plan_s_length_is_said_roughly(seconds, shown):
    assert number_text.span(seconds) == shown


@pytest.mark.parametrize(("value", "shown"), [(True, "on"), (False, "off"), (8192, "8192"), (0.92, "0.92")])
def test_that_a_control_s_value_is_written_as_an_engineer_writes_it(value, shown):
    assert number_text.plain(value) == shown


@given(st.text(max_size=80), st.integers(min_value=3, max_value=40))
def test_that_an_elided_text_is_never_longer_than_asked(text, length):
    assert len(number_text.elided(text, length)) <= length


def test_that_classes_are_in_the_order_of_their_numbers():
    names = ["In 1-512", "In 2049-8192", "In 513-2048", "Out 1", "chat", "10"]
    assert sorted(names, key=number_text.by_number) == [
        "10",
        "In 1-512",
        "In 513-2048",
        "In 2049-8192",
        "Out 1",
        "chat",
    ]
