"""Curves of a stored run are the conductor's own, worked out anew from its requests."""

import numpy as np
import pytest

from ui.files.bench_reader import fill_series
from ui.files.bench_recent import client_curves, fill_classes, rate_curves, recent_curves
from ui.live import COLUMNS, RunView
from ui.live.bottlenecks import LimitStep
from workbench.results import (
    BenchFile,
    LimitChange,
    Outcome,
    RequestRecord,
    RunFrame,
    Sample,
    columns_from_records,
)


def record(index, cls="chat", gap=10.0, **changes):
    due = index * 0.5
    fields = {
        "index": index, "row": index, "request_id": str(index), "cls": cls, "input_tokens": 8,
        "output_tokens": 4, "due": due, "first_token": due + 0.1, "last_token": due + 0.2, "done": due + 0.2,
        "outcome": Outcome.COMPLETED, "gaps_ms": np.full(3, gap, dtype="<f4").tobytes(), "queue_ms": 60.0,
        "prefill_ms": 30.0,
    }  # fmt: skip
    return RequestRecord(**{**fields, **changes})


@pytest.fixture
def requests():
    mixed = [record(n, cls=("chat", "document")[n % 2], gap=10.0 if n % 2 == 0 else 40.0) for n in range(20)]
    refused = record(20, outcome=Outcome.REJECTED, first_token=None, last_token=None, gaps_ms=b"")
    return columns_from_records([*mixed, refused])


TIMES = np.arange(0.25, 12.0, 0.25)


def test_that_gaps_and_parts_are_those_of_requests_that_just_finished(requests):
    curves = recent_curves(requests, TIMES, 1.0, 5.0)
    at = int(np.searchsorted(TIMES, 5.0))
    assert np.isnan(curves["itl_p50_ms"][0]) or curves["itl_p50_ms"][0] == 10.0
    assert curves["itl_p95_ms"][at] == 40.0
    assert curves["queue_ms"][at] == pytest.approx(60.0)
    assert curves["outside_ms"][at] == pytest.approx(10.0)


def test_that_rates_count_what_was_due_done_and_refused(requests):
    rates = rate_curves(requests, TIMES, 2.0, 5.0)
    at = int(np.searchsorted(TIMES, 9.0))
    assert rates["offered_rps"][at] == pytest.approx(1.0, abs=0.1)
    assert rates["rejected_rps"][at] == 0.0
    assert rates["rejected_rps"][-1] > 0


def test_that_the_client_s_own_counts_come_from_its_stamps():
    waits = [record(n, released=n * 0.5 + 1.0, sent=n * 0.5 + 1.0, done=n * 0.5 + 1.4) for n in range(8)]
    curves = client_curves(columns_from_records(waits), np.array([0.9, 1.2, 20.0]))
    assert curves["held"].tolist() == [2.0, 2.0, 0.0]
    assert curves["in_flight"].tolist() == [0.0, 1.0, 0.0]
    waited = recent_curves(columns_from_records(waits), np.array([5.0]), 1.0, 5.0)
    assert waited["admission_wait_ms"][0] == pytest.approx(1000.0)


def test_that_each_class_gets_its_own_latencies_and_the_server_s_samples(requests):
    run = RunView("v")
    for t in TIMES:
        run.series.append_values(float(t), [7.0 if name == "running" else None for name in COLUMNS])
    fill_classes(run, requests, TIMES, 1.0, 5.0)
    assert set(run.classes) == {"chat", "document"}
    assert run.classes["document"].value_near("itl_p50_ms", 6.0) == 40.0
    assert run.classes["chat"].value_near("itl_p50_ms", 6.0) == 10.0
    assert run.classes["chat"].value_near("ttft_p95_ms", 6.0) == pytest.approx(100.0)
    assert run.classes["chat"].value_near("running", 6.0) == 7.0


def test_that_one_class_alone_is_not_told_apart(requests):
    run = RunView("v")
    fill_classes(run, columns_from_records([record(0), record(1)]), TIMES, 1.0, 5.0)
    assert run.classes == {}


EXPERIMENT = """
name = "Stored"
[target]
kind = "attached"
url = "http://127.0.0.1:1"
model = "m"
[baseline]
[control]
name = "max_num_seqs"
values = [24]
[trace]
synthetic = "100:20"
[load]
rates = [2.0]
duration_s = 10.0
"""


@pytest.fixture
def stored(tmp_path):
    """A bench file with one run at time scale 2, and the run's number."""
    path = tmp_path / "stored.bench"
    with BenchFile.create(path) as bench:
        experiment = bench.add_experiment("Stored", EXPERIMENT)
        frame = RunFrame(length_s=10.0, time_scale=2.0)
        run = bench.add_run(experiment, "v", control=None, value=None, config={}, frame=frame, time_scale=2.0)
        bench.write_requests(run, [record(n) for n in range(20)])
        yield path, bench, run


def test_that_limits_changed_while_a_stored_run_went_on_are_marked_in_its_plots(stored):
    path, bench, run = stored
    for t, new, refusal in ((None, 8, None), (2.0, 4, None), (3.0, 4, "too large")):
        change = LimitChange(
            t=t, name="max_num_active_seqs", asked=new, old=16, new=new, by="user", refusal=refusal
        )
        bench.write_limit_change(run, change)
    bench.flush()
    view = RunView("v")
    fill_series(path, [view])
    assert view.moments == [LimitStep(4.0, "max_num_active_seqs", 16, 4)]


def test_that_a_run_whose_server_told_nothing_still_has_the_curves_of_its_requests(stored):
    path, bench, _ = stored
    bench.flush()
    view = RunView("v")
    fill_series(path, [view])
    assert view.series.value_near("itl_p50_ms", 12.0) == pytest.approx(20.0)
    assert view.series.value_near("completed_rps", 12.0) == pytest.approx(1.0, abs=0.15)
    assert view.series.value_near("running", 12.0) is None


def test_that_a_stored_page_that_came_late_makes_no_spike(stored):
    path, bench, run = stored
    pages = ((0.0, 0.0), (0.25, 0.25), (0.5, 0.5), (0.75, 0.75), (1.0, 1.0), (1.25, 1.49), (1.5, 1.5))
    bench.write_samples(run, [Sample(t=came, generation_tokens=1000.0 * page) for page, came in pages])
    bench.flush()
    view = RunView("v")
    fill_series(path, [view])
    rates = view.series.column("output_tok_s")
    assert np.nanmax(rates[3:]) <= 550.0, "500 a simulated second"


def test_that_a_reopened_watch_has_the_server_s_own_means(tmp_path):
    path = tmp_path / "w.bench"
    with BenchFile.create(path) as bench:
        run = bench.add_run(bench.add_experiment("w", ""), "watch", control=None, value=None, config={})
        samples = [
            Sample(t=t, ttft_sum_s=0.5 * t, ttft_count=t, itl_sum_s=0.02 * t, itl_count=t)
            for t in np.arange(0.0, 8.0, 0.25).tolist()
        ]
        bench.write_samples(run, samples)
        bench.flush()
    watched, ours = RunView("watch", watched=True), RunView("watch")
    for view in (watched, ours):
        fill_series(path, [view])
    assert watched.series.last("server_ttft_ms") == pytest.approx(500.0)
    assert watched.series.last("server_itl_ms") == pytest.approx(20.0)
    assert ours.series.last("server_ttft_ms") is None
