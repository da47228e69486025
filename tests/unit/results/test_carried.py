"""Costs of a short run: what ended in the window undercounts, what was due in it does not."""

import numpy as np
import pytest

from tests.unit.results.making import request, unanswered
from workbench.results import BenchFile, RunFrame, scorecard_rows, summarize_run

PRICE = {"currency": "EUR", "price_basis": "on_demand", "unit_price": 3.6, "warmup_s": 0.0}
RATE, RESPONSE_S = 10.0, 3.0


@pytest.fixture
def bench(tmp_path):
    with BenchFile.create(tmp_path / "b.bench") as file:
        yield file


def cells_of(bench, figures, *, facts=None, **fields):
    experiment = bench.add_experiment("x", "", facts=PRICE | (facts or {}))
    stated = {"rate": RATE, "trace_sha256": "t"} | fields
    run = bench.add_run(experiment, "baseline", control=None, value=None, config={}, **stated)
    bench.finish_run(run, "done", figures)
    return scorecard_rows(bench)[0].cells


def loaded(length_s, *, answered=None, seed=1, warmup_s=0.0):
    """Poisson arrivals at a server with room, which takes three seconds for each; the warm-up's first."""
    generator = np.random.default_rng(seed)
    due = np.cumsum(generator.exponential(1 / RATE, int(3 * RATE * (length_s + warmup_s)) + 20)) - warmup_s
    due = due[due < length_s]
    records = [
        request(index, due=float(at), ttft=0.1, tokens=2, gap=RESPONSE_S - 0.1)
        for index, at in enumerate(due)
    ]
    for record in records:
        record.phase = "measured" if record.due >= 0 else "warmup"
    if answered is not None:
        records[answered:] = [unanswered(record.index, record.due) for record in records[answered:]]
    return summarize_run(records, RunFrame(length_s=length_s))


@pytest.mark.parametrize("length_s", [12, 20, 40])
def test_that_the_rate_of_a_short_cold_run_is_the_long_ones(tmp_path, length_s):
    """Means over 40 draws against the truth of 10 a second: what was due is right, what ended is not."""
    ended, due = [], []
    for seed in range(40):
        with BenchFile.create(tmp_path / f"{seed}.bench") as bench:
            cells = cells_of(bench, loaded(length_s, seed=seed))
        ended.append(cells["accepted_rps"])
        due.append(cells["accepted_rps_carried"])
    # The mean of 40 Poisson counts of 10 x length: three standard errors.
    error = 3 * np.sqrt(RATE * length_s / 40) / length_s
    assert np.mean(due) == pytest.approx(RATE, abs=error)
    assert np.mean(ended) == pytest.approx(RATE * (1 - RESPONSE_S / length_s), abs=error)


def test_that_cost_counts_what_was_due_and_the_row_says_so(bench):
    cells = cells_of(bench, loaded(12.0))
    carried = cells["accepted_rps_carried"]
    assert cells["accepted_rps"] < 0.85 * carried
    assert cells["cost_per_1k_accepted"] == pytest.approx(1 / carried)
    assert cells["cost_per_1m_output_tokens"] == pytest.approx(1000 / (2 * carried))
    assert cells["cost_per_1m_accepted_output_tokens"] == pytest.approx(1000 / (2 * carried))
    assert cells["notes"].startswith("a response takes 3 s of the window's 12 s: ")
    assert cells["notes"].endswith("costs use the second rate")


def test_that_a_warm_up_as_long_as_a_response_needs_no_word(bench):
    cells = cells_of(bench, loaded(12.0, warmup_s=4.0), facts={"warmup_s": 4.0})
    assert cells["notes"] is None
    assert cells["accepted_rps"] == pytest.approx(cells["accepted_rps_carried"], rel=0.2)


def test_that_a_long_run_needs_no_word(bench):
    assert cells_of(bench, loaded(120.0))["notes"] is None


def test_that_where_nobody_knows_the_capacity_it_is_only_said(bench):
    """A dozen requests tell no drift: the cost stays as counted, and the row says how far it may be off."""
    cells = cells_of(bench, loaded(5.0))
    assert cells["diverging"] is None
    assert cells["accepted_rps_carried"] is None
    assert cells["cost_per_1k_accepted"] == pytest.approx(1 / cells["accepted_rps"])
    assert cells["notes"].endswith("up to 60% is missing from rates and makes costs too high")


def test_that_past_capacity_and_in_a_closed_loop_nothing_is_corrected(bench):
    """What was answered only because the load had ended would flatter an overloaded server."""
    records = [request(i, due=i / RATE, ttft=0.1 + i * 0.1, tokens=2, gap=0.1) for i in range(200)]
    over = summarize_run(records, RunFrame(length_s=20.0))
    assert over.diverging
    cells = cells_of(bench, over)
    assert cells["accepted_rps_carried"] is None
    assert cells["cost_per_1k_accepted"] == pytest.approx(1 / cells["accepted_rps"])


def test_that_a_closed_loop_is_left_as_it_was_counted(bench):
    cells = cells_of(bench, loaded(12.0), rate=None, concurrency=30)
    assert cells["accepted_rps_carried"] is None
    assert cells["notes"] is None


def test_that_requests_left_open_are_no_part_of_what_was_carried(bench):
    few = loaded(40.0, answered=-10)
    cells = cells_of(bench, few)
    assert cells["accepted_rps_carried"] == pytest.approx(few.accepted / 40.0)
    assert "10 requests were still open" in cells["notes"]


def test_that_repeats_say_it_once(bench):
    experiment = bench.add_experiment("x", "", facts=PRICE)
    for repeat in (1, 2, 3):
        run = bench.add_run(
            experiment, f"baseline #{repeat}", control=None, value=None, config={}, repeat=repeat, rate=RATE,
            trace_sha256="t",
        )  # fmt: skip
        bench.finish_run(run, "done", loaded(12.0, seed=repeat))
    (row,) = scorecard_rows(bench)
    assert row.cells["n"] == 3
    assert row.cells["notes"].count("a response takes") == 1


def test_that_retries_are_counted_in_the_row(bench):
    records = [request(i, due=i / RATE) for i in range(100)]
    records[3].retries, records[7].retries = 2, 1
    cells = cells_of(bench, summarize_run(records, RunFrame(length_s=10.0)))
    assert (cells["requests_retried"], cells["retries"]) == (2, 3)


def test_that_all_rows_that_are_compared_have_their_costs_on_one_basis_and_it_is_shown(bench):
    """Of the second row too few requests tell: its neighbour's cost must not count another rate."""
    experiment = bench.add_experiment("x", "", facts=PRICE)
    for rate, figures in ((RATE, loaded(12.0)), (11.0, loaded(5.0))):
        run = bench.add_run(
            experiment, f"baseline @ {rate:g}", control=None, value=None, config={}, rate=rate,
            trace_sha256="t",
        )  # fmt: skip
        bench.finish_run(run, "done", figures)
    first, second = (row.cells for row in scorecard_rows(bench))
    assert first["accepted_rps_carried"] is not None
    assert second["accepted_rps_carried"] is None
    for cells in (first, second):
        assert cells["cost_rate_basis"] == "accepted_rps"
        assert cells["cost_per_1k_accepted"] == pytest.approx(1 / cells["accepted_rps"])
    assert "costs use the first rate" in first["notes"]


def test_that_a_row_past_capacity_is_not_compared_and_leaves_the_others_their_basis(bench):
    experiment = bench.add_experiment("x", "", facts=PRICE)
    over = [request(i, due=i / 20, ttft=0.1 + i * 0.1, tokens=2, gap=0.1) for i in range(400)]
    for rate, figures in ((RATE, loaded(12.0)), (20.0, summarize_run(over, RunFrame(length_s=20.0)))):
        run = bench.add_run(
            experiment, f"baseline @ {rate:g}", control=None, value=None, config={}, rate=rate,
            trace_sha256="t",
        )  # fmt: skip
        bench.finish_run(run, "done", figures)
    first, second = (row.cells for row in scorecard_rows(bench))
    assert (first["cost_rate_basis"], second["cost_rate_basis"]) == ("accepted_rps_carried", "accepted_rps")


def test_that_what_ended_after_the_window_is_said_by_the_actual_gap(bench):
    """A warm-up as long as a response that brought nothing into the window: the rates show the gap."""
    cells = cells_of(bench, loaded(12.0), facts={"warmup_s": 4.0})
    assert cells["completed_rps"] < 0.85 * cells["offered_rps"]
    assert cells["notes"].startswith("a response takes 3 s of the window's 12 s: ")
    assert cells["notes"].endswith("costs use the second rate")
