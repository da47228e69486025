import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import WorkbenchError
from workbench.results import CounterShrankError, Histogram

EDGES = (0.3, 0.5, 0.8, 1.0)


def of(values, edges=EDGES):
    """The histogram a server would keep of these values: a bucket holds what is above its lower edge."""
    counts = np.bincount(np.searchsorted(edges, values, side="left"), minlength=len(edges) + 1)
    return Histogram(edges=tuple(edges), counts=tuple(float(c) for c in counts), sum=float(np.sum(values)))


def test_that_prometheus_cumulative_counts_become_counts_per_bucket():
    histogram = Histogram.from_cumulative([0.3, 0.5, float("inf")], [4, 9, 10], 5.5)
    assert histogram == Histogram(edges=(0.3, 0.5), counts=(4.0, 5.0, 1.0), sum=5.5)


def test_that_a_quantile_is_the_bucket_that_holds_it():
    histogram = of([0.1] * 90 + [0.6] * 10)
    assert histogram.quantile_bounds(0.5) == (0.0, 0.3)
    assert histogram.quantile_bounds(0.95) == (0.5, 0.8)


def test_that_a_quantile_beyond_the_last_edge_has_no_upper_end():
    assert of([0.1] * 80 + [7.0] * 20).quantile_bounds(0.95) == (1.0, None)


def test_that_a_value_on_an_edge_belongs_to_the_bucket_below_it():
    assert of([0.3]).quantile_bounds(0.5) == (0.0, 0.3)


def test_that_a_quantile_between_two_buckets_is_held_by_both():
    # The median of 0.1 and 0.9 by numpy is 0.5, in neither's bucket.
    assert of([0.1, 0.9]).quantile_bounds(0.5) == (0.0, 1.0)


def test_that_an_empty_histogram_says_nothing():
    empty = of([])
    assert empty.quantile_bounds(0.95) is None
    assert empty.mean() is None


def test_that_the_mean_is_exact():
    assert of([0.1, 0.2, 0.9]).mean() == pytest.approx(0.4)


def test_that_a_difference_holds_what_came_between():
    before, between = [0.1, 0.4], [0.2, 0.9, 5.0]
    assert of(before + between).minus(of(before)).counts == of(between).counts
    assert of(before + between).minus(of(before)).sum == pytest.approx(6.1)


def test_that_a_shrunken_bucket_says_that_the_server_restarted():
    with pytest.raises(CounterShrankError, match="restarted"):
        of([0.1]).minus(of([0.1, 0.2]))


def test_that_histograms_with_other_buckets_are_not_combined():
    with pytest.raises(WorkbenchError, match="different buckets"):
        of([0.1]).minus(of([0.1], edges=(1.0, 2.0)))


def test_that_engines_add_up():
    assert of([0.1]).plus(of([0.6])).counts == of([0.1, 0.6]).counts


def test_that_scaling_moves_edges_and_sum_but_no_counts():
    scaled = of([0.4]).scaled(1000)
    assert (scaled.edges[0], scaled.sum, scaled.counts) == (300.0, 400.0, of([0.4]).counts)


@pytest.mark.parametrize(("edges", "counts"), [((1.0, 2.0), (1.0, 1.0)), ((2.0, 1.0), (0.0, 0.0, 0.0))])
def test_that_what_is_no_histogram_is_refused(edges, counts):
    with pytest.raises(ValueError, match="edges"):
        Histogram(edges=edges, counts=counts, sum=0.0)


@given(
    st.lists(st.floats(0, 3), min_size=1, max_size=60),
    st.floats(0, 1),
)
def test_that_the_bucket_interval_always_holds_numpys_percentile(values, q):
    bounds = of(values).quantile_bounds(q)
    assert bounds is not None
    lo, hi = bounds
    true = float(np.quantile(values, q))
    assert lo <= true * (1 + 1e-9)
    assert hi is None or true <= hi * (1 + 1e-9)
