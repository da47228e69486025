import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.results import Distribution, distribution, percentile, sample_floor


@pytest.mark.parametrize(("q", "floor"), [(0.95, 72), (0.99, 368), (0.90, 36), (0.5, 1)])
def test_that_the_floor_is_where_the_largest_value_may_bound_the_quantile(q, floor):
    assert sample_floor(q) == floor
    if q > 0.5:
        assert 1 - q**floor >= 0.975 > 1 - q ** (floor - 1)


def test_that_a_percentile_is_empty_below_its_floor():
    assert percentile(range(71), 0.95) is None
    assert percentile(range(72), 0.95) == pytest.approx(67.45)
    assert percentile(range(367), 0.99) is None
    assert percentile(range(368), 0.99) is not None


def test_that_pooled_values_are_judged_by_the_requests_behind_them():
    assert percentile(range(1000), 0.95, requests=71) is None
    assert percentile(range(1000), 0.95, requests=72) is not None


def test_that_a_series_without_values_is_unknown_not_zero():
    assert distribution([]) == Distribution(n=0)
    assert percentile([], 0.5) is None


@given(st.integers(0, 2**32), st.integers(368, 2000))
def test_that_figures_are_numpys_linear_ones(seed, n):
    values = np.random.default_rng(seed).lognormal(size=n)
    figures = distribution(values)
    assert figures.p50 == pytest.approx(np.percentile(values, 50))
    assert figures.p90 == pytest.approx(np.percentile(values, 90))
    assert figures.p95 == pytest.approx(np.percentile(values, 95))
    assert figures.p99 == pytest.approx(np.percentile(values, 99))
    assert figures.max == max(values)
    assert figures.at_least == []


def test_that_unanswered_requests_make_the_tail_a_lower_bound_and_leave_the_middle_exact():
    figures = distribution(range(90), censored=[200.0] * 10)
    assert (figures.n, figures.censored) == (100, 10)
    assert figures.p50 == pytest.approx(49.5)
    assert figures.p95 == 200.0
    assert figures.at_least == ["mean", "p90", "p95", "max"]


def test_that_an_early_unanswered_request_makes_all_that_lies_above_it_a_lower_bound():
    figures = distribution(range(1, 100), censored=[0.0])
    assert set(figures.at_least) == {"mean", "p50", "p90", "p95", "max"}


@settings(max_examples=25)
@given(
    st.lists(st.floats(0, 100), min_size=72, max_size=100),
    st.lists(st.tuples(st.floats(0, 100), st.floats(0, 1000)), max_size=20),
)
def test_that_a_figure_not_marked_is_right_whatever_the_unanswered_would_have_taken(known, open_requests):
    bounds = [bound for bound, _ in open_requests]
    truth = known + [bound + more for bound, more in open_requests]
    figures = distribution(known, censored=bounds)
    for name, q in (("p50", 0.5), ("p90", 0.9), ("p95", 0.95)):
        value = getattr(figures, name)
        true = float(np.quantile(truth, q))
        if name in figures.at_least:
            assert value <= true + 1e-9
        else:
            assert value == pytest.approx(true)
