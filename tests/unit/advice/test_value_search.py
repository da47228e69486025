"""The search measures few values and ends at the largest feasible one."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.advice import MeasuredValue, NextRun, next_value

VALUES = [8, 16, 32, 64, 128, 256, 512]


def searched(
    latency: Callable[[float], float], limit: float, running: Callable[[float], float] | None = None
) -> tuple[list[float], NextRun]:
    """The values measured in order, and the end."""
    seen: list[MeasuredValue] = []
    while True:
        following = next_value(VALUES, seen, limit)
        if following.value is None:
            return [each.value for each in seen], following
        seen.append(
            MeasuredValue(
                value=following.value,
                latency=latency(following.value),
                running=running(following.value) if running else None,
            )
        )


def test_it_ends_at_the_border_with_fewer_runs_than_values() -> None:
    measured, end = searched(lambda value: 5 + 0.2 * value, limit=40)
    assert end.best == 128
    assert len(measured) <= 3
    assert set(end.skipped) == set(VALUES) - set(measured)


def test_a_limit_that_was_never_reached_ends_the_search() -> None:
    measured, end = searched(lambda _: 10.0, limit=40, running=lambda value: min(value, 20))
    assert end.best == max(measured)
    assert end.reason.kind == "advice.search_limit_not_reached"


def test_without_a_feasible_value_there_is_no_best() -> None:
    measured, end = searched(lambda value: 100 + value, limit=40)
    assert end.best is None
    assert min(VALUES) in measured


@given(base=st.floats(1, 60), slope=st.floats(0.001, 1), bend=st.floats(0.7, 1.3), limit=st.floats(5, 120))
def test_every_search_ends_with_a_measured_feasible_value(
    base: float, slope: float, bend: float, limit: float
) -> None:
    measured, end = searched(lambda value: base + slope * value**bend, limit)
    assert len(measured) == len(set(measured)) <= len(VALUES)
    if end.best is not None:
        assert end.best in measured
        assert base + slope * end.best**bend <= limit
    else:
        assert base + slope * min(VALUES) ** bend > limit


@pytest.mark.parametrize("gain", [0.0, 5.0])
def test_a_larger_threshold_never_needs_more_runs(gain: float) -> None:
    seen = [MeasuredValue(value=64, latency=30.0)]
    following = next_value(VALUES, seen, 40.0, gain=gain)
    assert (following.value is None) == (gain == 5.0)
