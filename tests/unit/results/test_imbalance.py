"""Largest over mean between engines: at each scrape, and over a run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.results import imbalance_over_time

NAN = float("nan")


def rows(*values: list[float]) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def test_that_requests_count_from_each_engines_first_scrape_and_a_restart_is_unknown() -> None:
    counters = rows([100, 110, 130, 0], [NAN, 7, 17, 27])
    found = imbalance_over_time(counters, counters, counters)
    np.testing.assert_allclose(found.requests.ratios(), [NAN, 2.0, 1.5, NAN])
    assert found.overall(np.ones(4)).requests == pytest.approx(1.5), "the last one that is known"


def test_that_an_unknown_engine_and_an_empty_service_have_no_ratio() -> None:
    waiting = rows([0, 4, 6], [0, NAN, 2])
    found = imbalance_over_time(waiting, waiting, waiting)
    np.testing.assert_allclose(found.waiting.ratios(), [NAN, NAN, 1.5])
    assert found.overall(np.array([1.0, 1.0, 0.0])).waiting is None


def test_that_a_long_queue_counts_more_than_a_short_one() -> None:
    waiting = rows([1, 30], [0, 30])
    found = imbalance_over_time(waiting, waiting, waiting)
    np.testing.assert_allclose(found.waiting.ratios(), [2.0, 1.0])
    assert found.overall(np.ones(2)).waiting == pytest.approx(31 / 30.5)


@given(st.lists(st.lists(st.integers(0, 50).map(float), min_size=3, max_size=3), min_size=2, max_size=5))
def test_that_it_lies_between_one_and_the_number_of_engines(values: list[list[float]]) -> None:
    waiting = rows(*values)
    ratios = imbalance_over_time(waiting, waiting, waiting).waiting.ratios()
    known = ratios[~np.isnan(ratios)]
    assert ((known >= 1 - 1e-12) & (known <= len(values) + 1e-12)).all()
    assert (np.isnan(ratios) == (waiting.sum(axis=0) == 0)).all()
