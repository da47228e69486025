import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.results.making import event_tokens, gaps, request, unanswered
from workbench.base import InputError
from workbench.results import Outcome, columns_from_records
from workbench.results.figures import latencies as series
from workbench.results.figures.request_columns import COLUMN_NAMES, columns_from_rows

NO_SCALE = {"scale": 1.0, "ended": 100.0}


def columns(*records):
    return columns_from_records(records)


def test_that_ttft_begins_when_the_request_was_due_not_when_it_was_sent():
    late = request(due=1.0, ttft=0.25, sent=1.2, released=1.15)
    assert series.ttft(columns(late), **NO_SCALE).values == pytest.approx([250])
    assert series.client_delay(columns(late), scale=1).values == pytest.approx([50])
    assert series.admission_wait(columns(late), scale=1).values == pytest.approx([150])


def test_that_ttft_counts_every_request_with_a_first_token_however_it_ended():
    broken = request(1, outcome=Outcome.FAILED)
    rejected = unanswered(2, outcome=Outcome.REJECTED)
    found = series.ttft(columns(request(), broken, rejected), **NO_SCALE)
    assert (found.values.size, found.censored.size) == (2, 0)


def test_that_a_request_without_an_answer_enters_ttft_with_what_it_has_waited():
    found = series.ttft(columns(request(), unanswered(1, due=97.0)), **NO_SCALE)
    assert found.censored == pytest.approx([3000])


def test_that_e2e_counts_completed_requests_and_those_still_streaming_at_the_end():
    streaming = request(1, due=99.0, outcome=Outcome.UNFINISHED, done=None)
    cancelled = request(2, outcome=Outcome.CANCELLED)
    found = series.e2e(columns(request(tokens=3, ttft=0.1, gap=0.01), streaming, cancelled), **NO_SCALE)
    assert found.values == pytest.approx([120])
    assert found.censored == pytest.approx([1000])


def test_that_tpot_spreads_the_time_after_the_first_token_over_the_tokens_that_follow():
    assert series.tpot(columns(request(tokens=5, gap=0.02)), scale=1).values == pytest.approx([20])
    assert series.tpot(columns(request(tokens=1)), scale=1).values.size == 0


def test_that_an_event_with_k_tokens_counts_as_k_gaps_of_its_kth_part():
    merged = request(tokens=5, gaps_ms=gaps([10, 30]), gap_tokens=event_tokens([1, 3]))
    assert series.token_gaps(columns(merged), scale=1).values == pytest.approx([10, 10, 10, 10])
    assert series.event_gaps(columns(merged), scale=1).values == pytest.approx([10, 30])


def test_that_the_gap_of_an_event_without_tokens_belongs_to_the_next_token():
    silent = request(tokens=3, gaps_ms=gaps([5, 7, 8, 4]), gap_tokens=event_tokens([0, 1, 0, 1]))
    assert series.token_gaps(columns(silent), scale=1).values == pytest.approx([12, 12])


def test_that_events_without_any_token_give_no_gap():
    assert series.per_token(np.array([1.0, 2.0]), np.array([0, 0])).size == 0


def test_that_figures_of_a_simulated_run_are_simulated_milliseconds():
    fast = columns(request(due=1.0, ttft=0.01, tokens=3, gap=0.001, connect_ms=0.5))
    assert series.ttft(fast, scale=20, ended=9).values == pytest.approx([200])
    assert series.token_gaps(fast, scale=20).values == pytest.approx([20, 20])
    assert series.tpot(fast, scale=20).values == pytest.approx([20])
    assert series.connect(fast, scale=20).values == pytest.approx([10])


@given(st.lists(st.tuples(st.floats(0, 1000, width=32), st.integers(0, 6)), min_size=1, max_size=40))
def test_that_spreading_keeps_all_time_up_to_the_last_token_and_counts_every_token(events):
    times = np.array([time for time, _ in events])
    tokens = np.array([count for _, count in events])
    spread = series.per_token(times, tokens)
    assert spread.size == tokens.sum()
    with_tokens = np.flatnonzero(tokens)
    kept = times[: with_tokens[-1] + 1].sum() if with_tokens.size else 0
    assert spread.sum() == pytest.approx(kept, abs=1e-6)


@pytest.mark.parametrize(("name", "value"), [("gaps_ms", b"abc"), ("due", "soon"), ("due", 10**400)])
def test_that_a_column_that_was_tampered_with_is_named(name, value):
    row = [getattr(request(0), each) for each in COLUMN_NAMES]
    row[COLUMN_NAMES.index(name)] = value
    with pytest.raises(InputError, match=f"column {name} must hold"):
        columns_from_rows([tuple(row)])
