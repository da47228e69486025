"""What stands on the decision sheet besides the answer."""

from types import SimpleNamespace

import msgspec
import pytest

from tests.unit.results.making import request
from workbench.results import BenchFile, Objectives, RunFrame, StoredFigures, summarize_run, write_html
from workbench.results.exports.decision_page import objective_message
from workbench.results.statistics.objective_checks import checks_of

FRAME = RunFrame(length_s=40.0, ended=45.0)
PRICE = {
    "currency": "EUR", "price_basis": "on_demand", "price_date": "2026-11-01", "price_source": "a list",
    "cost_per_hour": 36.0,
}  # fmt: skip


def sheet(tmp_path, **facts):
    objectives = Objectives(ttft_p95_ms=500, error_rate=0.01)
    with BenchFile.create(tmp_path / "s.bench") as bench:
        facts = {"trace_name": "chat mix", **facts}
        experiment = bench.add_experiment("x", "", objectives=objectives, facts=facts)
        requests = [request(i, due=i / 10) for i in range(400)]
        run = bench.add_run(
            experiment, "baseline", control=None, value=None, config={}, rate=10.0, frame=FRAME,
            simulated=True, profile="h100/tp1", trace_sha256="0123456789abcdef",
        )  # fmt: skip
        bench.write_requests(run, requests)
        bench.finish_run(run, "done", summarize_run(requests, FRAME, objectives=objectives))
        write_html(bench, tmp_path / "s.html")
    text = (tmp_path / "s.html").read_text()
    return text[: text.index("<h2>Scorecard")]


def test_that_the_sheet_says_what_was_asked_in_words_and_on_what_it_was_measured(tmp_path):
    said = sheet(tmp_path)
    assert "p95 TTFT at most 500 ms" in said
    assert "error rate at most 1 %" in said
    assert "Measured on the embedded engine, profile h100/tp1" in said
    assert "Workload chat mix, hash 0123456789ab" in said
    assert "What it costs" not in said


def test_that_the_sheet_prices_the_demand_with_idle_hours_and_how_far_it_may_be_off(tmp_path):
    demand = {"curve": [[12, 5.0], [12, 15.0]], "headroom": 0.0, "spare": 1, "servers": None}
    said = sheet(tmp_path, **PRICE, demand=demand)
    # 36 an hour is 0.01 a second; ten accepted a second make 1 for 1,000.
    assert "1 EUR per 1,000 accepted responses while busy, on demand, seen 2026-11-01 (a list)" in said
    assert "peak 15, mean 10 accepted requests a second) needs 3 of these systems, which are idle 66." in said
    assert "3 EUR per 1,000, idle hours paid" in said
    assert "EUR with price, rate and demand a tenth better or worse" in said


@pytest.mark.parametrize(
    ("name", "limit", "words"),
    [
        ("queue_p95_ms", 1500.0, "p95 queue time at most 1,500 ms"),
        ("preemptions", 0, "preemptions at most 0"),
    ],
)
def test_that_a_limit_is_told_with_its_unit(name, limit, words):
    assert str(objective_message(name, limit)) == words


def test_that_from_runs_of_which_none_is_valid_nothing_follows(tmp_path):
    requests = [request(i, due=i / 10, sent=i / 10 + 0.5) for i in range(100)]
    objectives = Objectives(ttft_p95_ms=500)
    with BenchFile.create(tmp_path / "b.bench") as bench:
        experiment = bench.add_experiment("x", "", objectives=objectives)
        run = bench.add_run(experiment, "baseline", control=None, value=None, config={}, rate=10.0)
        bench.write_requests(run, requests)
        bench.finish_run(run, "done", summarize_run(requests, RunFrame(length_s=10.0), objectives=objectives))
        write_html(bench, tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    assert "No answer: none of the 1 runs is valid." in text
    assert "meets all objectives" not in text.partition("</section>")[0].partition("Answer")[2][:200]


def test_that_the_sheet_says_how_many_requests_were_accepted_whatever_the_percentiles_say(tmp_path):
    """A p95 within its limit leaves requests beyond it."""
    said = sheet(tmp_path)
    assert "100 % of the requests accepted: completed, and each within every latency limit by itself" in said


def test_that_no_error_in_few_requests_promises_no_more_than_they_can():
    none = [{"requests": {"scheduled": 90, "cancelled": 0}, "error_rate": 0.0}]
    (few,) = checks_of_all(none, 0.01)
    assert few.met
    assert str(few.doubt()) == "error_rate: so few requests leave up to 0.0292 possible (limit 0.01)"
    (enough,) = checks_of_all(4 * none, 0.01)
    assert enough.doubt() is None
    (some,) = checks_of_all([{**none[0], "error_rate": 2 / 90}], 0.03)
    assert some.met
    assert some.possible == pytest.approx(0.066, abs=0.002)


def checks_of_all(summaries, limit):
    """The checks of an error rate in runs with these figures."""
    runs = [SimpleNamespace(figures=msgspec.convert(each, StoredFigures)) for each in summaries]
    return checks_of(runs, Objectives(error_rate=limit))[0]
