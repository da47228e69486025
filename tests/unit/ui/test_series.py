import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ui.live import COLUMNS, CURVE_POINTS, RunSeries, decimate
from ui.live.series import CAPACITY
from workbench.experiments import SampleTaken


def filled(times, value=lambda t: t):
    series = RunSeries()
    for t in times:
        series.append(SampleTaken(run="r", run_t=t, running=value(t)))
    return series


def test_that_unknown_values_are_gaps_and_never_zero():
    series = filled([1.0, 2.0], value=lambda t: None if t == 2.0 else 5.0)
    assert math.isnan(series.column("running")[1])
    assert series.last("running") is None


def test_that_a_pause_in_the_samples_is_drawn_as_a_gap():
    series = filled([1.0, 1.25, 1.5, 1.75, 9.0])
    assert np.isnan(series.column("running")).sum() == 1
    assert 1.75 < series.times()[np.isnan(series.column("running"))][0] < 9.0


def test_that_samples_out_of_order_are_left_out():
    assert len(filled([1.0, 0.5, 2.0])) == 2


def test_that_memory_stays_flat_however_long_a_run_lasts():
    series = RunSeries()
    row = [1.0] * len(COLUMNS)
    for step in range(CAPACITY + 10):
        series.append_values(step * 0.25, row)
    assert len(series) <= CAPACITY
    assert series.last_time() == (CAPACITY + 9) * 0.25


def test_that_the_value_near_a_time_is_the_one_before_it():
    series = filled([1.0, 2.0, 3.0])
    assert series.value_near("running", 2.7) == 2.0
    assert series.value_near("running", 0.5) is None


@settings(max_examples=50)
@given(st.integers(min_value=1, max_value=4000), st.integers(min_value=0, max_value=2**31))
def test_that_a_curve_has_at_most_300_points_and_keeps_its_extremes(length, seed):
    values = np.random.default_rng(seed).normal(size=length)
    times, shown = decimate(np.arange(length) * 0.25, values)
    assert len(times) <= CURVE_POINTS
    assert shown.max() == values.max()
    assert shown.min() == values.min()
    assert np.all(np.diff(times) >= 0)


def test_that_a_gap_survives_decimation():
    values = np.ones(3000)
    values[1000:2000] = np.nan
    times, shown = decimate(np.arange(3000.0), values)
    assert np.isnan(shown[(times > 1100) & (times < 1900)]).all()
    assert shown[0] == pytest.approx(1.0)


def test_that_a_trimmed_series_keeps_its_samples_and_can_still_grow():
    series = filled([n / 4 for n in range(700)])
    before = series.column("running").copy()
    series.trim()
    assert series.times().base.shape[1] == len(series) == 700
    assert np.array_equal(series.column("running"), before)
    series.append(SampleTaken(run="r", run_t=700 / 4, running=9))
    assert (len(series), series.last("running")) == (701, 9.0)
    empty = RunSeries()
    empty.trim()
    empty.append(SampleTaken(run="r", run_t=0.0, running=1))
    empty.append(SampleTaken(run="r", run_t=0.25, running=2))
    assert empty.column("running").tolist() == [1.0, 2.0]
