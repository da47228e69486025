"""Results of other load generators under our names: converted, marked, and never compared by themselves."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.cli import main
from workbench.results import (
    BenchFile,
    Objectives,
    PeerRun,
    add_peer_runs,
    choose,
    csv_text,
    read_peer_runs,
    scorecard_rows,
    verify,
    write_html,
)

MADE = Path(__file__).parents[2] / "data" / "peers"
FILES = ("vllm_bench.json", "vllm_bench_detailed.json", "guidellm.json", "aiperf.json")


def content(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((MADE / name).read_text())
    return found


@pytest.fixture
def read(tmp_path: Path) -> Callable[[object], PeerRun]:
    """The only run of a file with this content."""

    def one(value: object) -> PeerRun:
        path = tmp_path / "result.json"
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        (run,) = read_peer_runs(path)
        return run

    return one


def test_that_vllm_bench_s_names_become_ours() -> None:
    (run,) = read_peer_runs(MADE / "vllm_bench.json")
    stated = content("vllm_bench.json")
    assert (run.tool, run.model, run.rate, run.concurrency) == ("vllm bench serve", "tiny", 10.0, None)
    assert (run.counts.scheduled, run.counts.completed, run.counts.failed) == (400, 399, 1)
    assert (run.counts.cancelled, run.counts.unfinished) == (None, None)
    assert run.series["ttft_ms"].p50 == stated["median_ttft_ms"]
    assert run.series["ttft_ms"].p99 == stated["p99_ttft_ms"]
    assert run.series["ttft_ms"].p95 is None
    assert run.series["event_gap_ms"].mean == stated["mean_itl_ms"]
    assert "itl_ms" not in run.series
    assert "e2e_ms" not in run.series
    assert run.input_tok_s == pytest.approx(stated["total_input_tokens"] / stated["duration"])


def test_that_details_give_all_percentiles_and_a_failed_request_s_zeros_none() -> None:
    (run,) = read_peer_runs(MADE / "vllm_bench_detailed.json")
    arrays = content("vllm_bench_detailed.json")
    good = [not error for error in arrays["errors"]]
    assert not all(good)
    ttft = np.array(arrays["ttfts"])[good] * 1e3
    assert run.series["ttft_ms"].n == len(ttft)
    assert run.series["ttft_ms"].p90 == pytest.approx(float(np.quantile(ttft, 0.9)))
    assert run.series["ttft_ms"].p99 is None  # too few requests, as for our own
    assert run.series["itl_ms"] == run.series["event_gap_ms"]


def test_that_details_without_latencies_end_a_request_with_its_last_event(
    read: Callable[[object], PeerRun],
) -> None:
    """Up to 0.11 they are not kept."""
    arrays = content("vllm_bench_detailed.json")
    whole = read(arrays)
    for name in ("latencies", "start_times", "queue_times"):
        del arrays[name]
    run = read(arrays)
    assert run.series["e2e_ms"].p50 == pytest.approx(whole.series["e2e_ms"].p50, rel=1e-3)
    assert run.series["ttft_ms"] == whole.series["ttft_ms"]
    assert run.drift is None


def test_that_an_answer_without_a_token_is_a_failure_and_no_ttft_of_0(
    read: Callable[[object], PeerRun],
) -> None:
    """Old results count it as completed, which lowers every mean."""
    arrays = content("vllm_bench_detailed.json")
    before = read(arrays)
    for name in ("ttfts", "latencies", "output_lens"):
        arrays[name][3] = 0
    arrays["itls"][3] = []
    run = read(arrays)
    assert (run.counts.completed, run.counts.failed) == (
        before.counts.completed - 1,
        before.counts.failed + 1,
    )
    assert run.series["ttft_ms"].n == before.series["ttft_ms"].n - 1
    assert run.series["ttft_ms"].mean > 50
    assert run.completed_rps == pytest.approx(run.counts.completed / arrays["duration"])
    assert any("1 answer without a token" in str(each) for each in run.differs)


def test_that_zeros_of_a_summary_that_measured_nothing_are_unknown(read: Callable[[object], PeerRun]) -> None:
    stated = content("vllm_bench.json")
    stated |= dict.fromkeys([name for name in stated if name.endswith(("_itl_ms", "_tpot_ms"))], 0.0)
    run = read(stated)
    assert not {"event_gap_ms", "tpot_ms"} & run.series.keys()
    assert "ttft_ms" in run.series
    stated |= {"completed": 0, "failed": 400}
    assert read(stated).series == {}


def climbing(slope: float) -> dict[str, Any]:
    """A detailed result of 400 requests, 10 a second, whose TTFT climbs by so many seconds a second."""
    n = 400
    start = [number / 10 for number in range(n)]
    ttft = [0.05 + slope * due for due in start]
    return content("vllm_bench_detailed.json") | {
        "num_prompts": n,
        "completed": n,
        "failed": 0,
        "duration": 60.0,
        "request_rate": 10.0,
        "start_times": [1000.0 + due for due in start],
        "ttfts": ttft,
        "latencies": [first + 0.07 for first in ttft],
        "itls": [[0.01] * 7] * n,
        "output_lens": [8] * n,
        "input_lens": [100] * n,
        "queue_times": [0.0] * n,
        "errors": [""] * n,
    }


def test_that_details_tell_whether_a_run_diverged(read: Callable[[object], PeerRun]) -> None:
    growing, steady = read(climbing(0.5)), read(climbing(0.0))
    assert growing.drift is not None
    assert growing.drift.diverging
    assert growing.drift.slope == pytest.approx(0.5, rel=0.01)
    assert steady.drift is not None
    assert not steady.drift.diverging
    assert read(climbing(0.5) | {"request_rate": "inf"}).drift is None


def test_that_details_tell_how_many_requests_kept_the_objectives(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(climbing(0.1)))
    limits = Objectives(ttft_p95_ms=1055)
    (run,) = read_peer_runs(path, objectives=limits)
    assert run.accepted == 101  # due within the first 10 s
    with BenchFile.create(tmp_path / "p.bench") as bench:
        add_peer_runs(bench, [run], path, objectives=limits)
        (row,) = scorecard_rows(bench)
        assert row.cells["accepted_rps"] == pytest.approx(101 / 60)
        assert row.cells["accepted_share"] == pytest.approx(101 / 400)
        assert row.cells["diverging"] is True
        assert choose(bench).recommended is None
        assert verify(bench) == []


@pytest.mark.parametrize("objective", ["ttft_p95_ms=soon", "ttft_p95_ms=0", "queue=5", "ttft_p95_ms"])
def test_that_an_objective_of_another_kind_is_refused(
    objective: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = str(MADE / "vllm_bench.json")
    assert main(["peers", str(tmp_path / "p.bench"), made, "--objective", objective]) == 2
    assert capsys.readouterr().err.startswith("error: --objective: ")


def genai_perf() -> dict[str, Any]:
    """A result of GenAI-Perf, which has no version and no errors."""
    shared = {"p50": 110.0, "p90": 150.0, "p95": 160.0, "p99": 190.0, "max": 200.0}
    return {
        "request_throughput": {"unit": "requests/sec", "avg": 2.5},
        "request_latency": {"unit": "ms", "avg": 120.0, **shared},
        "request_count": {"unit": "count", "avg": 150.0},
        "time_to_first_token": {"unit": "ms", "avg": 12.0, **shared},
        "inter_token_latency": {"unit": "ns", "avg": 8_500_000.0},
        "output_token_throughput": {"unit": "tokens/sec", "avg": 320.0},
        "input_config": {"model": ["m"], "perf_analyzer": {"stimulus": {"concurrency": 4}}},
    }


def test_that_genai_perf_is_named_and_its_failures_are_unknown(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(genai_perf()))
    runs = read_peer_runs(tmp_path / "r.json")
    (run,) = runs
    assert (run.tool, run.model, run.concurrency, run.rate) == ("GenAI-Perf", "m", 4, None)
    assert (run.counts.scheduled, run.counts.completed, run.counts.failed) == (None, 150, None)
    assert run.series["tpot_ms"].mean == 8.5
    assert run.series["ttft_ms"].p95 == 160
    with BenchFile.create(tmp_path / "p.bench") as bench:
        add_peer_runs(bench, runs, tmp_path / "r.json")
        (row,) = scorecard_rows(bench)
        assert row.cells["measured_by"] == "GenAI-Perf"
        assert row.cells["error_rate"] is None
        assert row.cells["model"] == "m"


@pytest.mark.parametrize(
    ("more", "failed"),
    [
        ({}, None),
        ({"error_request_count": {"unit": "requests", "avg": 3}}, 3),
        ({"error_summary": []}, 0),
        ({"error_summary": [{"error_details": {"code": 500}, "count": 2}, {"count": 5}]}, 7),
    ],
)
def test_that_aiperf_s_failures_are_its_count_or_its_summary_or_unknown(
    more: dict[str, Any], failed: int | None, read: Callable[[object], PeerRun]
) -> None:
    stated = content("aiperf.json")
    stated.pop("error_summary", None)
    stated.pop("error_request_count", None)
    run = read(stated | more)
    assert run.counts.failed == failed
    assert run.counts.scheduled == (None if failed is None else run.counts.completed + failed)


def guidellm_before() -> dict[str, Any]:
    """A report of GuideLLM 0.3: counts in `run_stats`, stamps beside each request."""
    percentiles = {"p50": 30.0, "p90": 40.0, "p95": 50.0, "p99": 60.0}
    figures = {"successful": {"mean": 31.0, "max": 70.0, "min": 1.0, "count": 99, "percentiles": percentiles}}
    return {
        "benchmarks": [
            {
                "args": {"strategy": {"type_": "concurrent", "streams": 128}},
                "run_stats": {
                    "start_time": 1751371200.0,
                    "end_time": 1751371260.0,
                    "requests_made": {"successful": 99, "errored": 2, "incomplete": 3, "total": 104},
                    "request_start_time_targeted_delay_avg": 0.25,
                },
                "worker": {"backend_model": "m"},
                "metrics": {
                    "requests_per_second": {"successful": {"mean": 1.65}},
                    "request_latency": figures,
                    "time_to_first_token_ms": figures,
                    "inter_token_latency_ms": figures,
                    "output_tokens_per_second": {"successful": {"mean": 211.0}},
                },
            }
        ]
    }


def test_that_a_guidellm_report_from_before_0_4_is_read(read: Callable[[object], PeerRun]) -> None:
    run = read(guidellm_before())
    assert (run.measured_by, run.model, run.concurrency) == ("GuideLLM before 0.4", "m", 128)
    assert (run.counts.scheduled, run.counts.completed, run.counts.failed, run.counts.unfinished) == (
        104,
        99,
        2,
        3,
    )
    assert run.series["ttft_ms"].p50 == 30
    assert run.series["e2e_ms"].p95 == 50_000
    assert run.series["client_delay_ms"].mean == 250
    assert run.duration_s == 60
    assert run.started_utc == "2025-07-01T12:00:00Z"
    assert any("whole run" in str(each) for each in run.differs)


def test_that_requests_that_another_tool_left_open_are_said_without_a_drain(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(guidellm_before()))
    with BenchFile.create(tmp_path / "p.bench") as bench:
        add_peer_runs(bench, read_peer_runs(tmp_path / "r.json"), tmp_path / "r.json")
        (row,) = scorecard_rows(bench)
        assert row.cells["notes"] == "3 requests were not sent or still open at the end"
        assert row.cells["drain_s"] is None
        assert "GuideLLM before 0.4" in csv_text(bench)
        write_html(bench, tmp_path / "p.html")


def test_that_the_counts_of_guidellm_0_2_are_read(read: Callable[[object], PeerRun]) -> None:
    report = guidellm_before()
    made = report["benchmarks"][0]["run_stats"].pop("requests_made")
    own = {"total": made["total"], **{f"total_{name}": made[name] for name in made if name != "total"}}
    report["benchmarks"][0]["run_stats"] |= own
    counts = read(report).counts
    assert (counts.scheduled, counts.completed, counts.failed, counts.unfinished) == (104, 99, 2, 3)


def test_that_times_below_0_are_left_out_and_said(read: Callable[[object], PeerRun]) -> None:
    """Before 0.4 a request without a first token had one since 1970."""
    report = guidellm_before()
    ttft = report["benchmarks"][0]["metrics"]["time_to_first_token_ms"]["successful"]
    report["benchmarks"][0]["metrics"]["time_to_first_token_ms"] = {"successful": ttft | {"mean": -1.7e12}}
    run = read(report)
    assert "ttft_ms" not in run.series
    assert "e2e_ms" in run.series
    assert any("time_to_first_token_ms has times below 0" in str(each) for each in run.differs)


def test_that_several_tokens_an_event_leave_itl_empty(read: Callable[[object], PeerRun]) -> None:
    arrays = content("vllm_bench_detailed.json")
    arrays["output_lens"] = [length * 4 for length in arrays["output_lens"]]
    run = read(arrays)
    assert "itl_ms" not in run.series
    assert "event_gap_ms" in run.series
    assert any("ITL a token is empty" in str(each) for each in run.differs)


def test_that_a_targeted_start_before_1970_is_none_and_leaves_guidellm_s_own_ttft(
    read: Callable[[object], PeerRun],
) -> None:
    whole = content("guidellm.json")
    before = read(whole)
    whole["benchmarks"][0]["requests"]["successful"][3]["info"]["timings"]["targeted_start"] = -0.989799
    after = read(whole)
    assert after.series["ttft_ms"].mean != before.series["ttft_ms"].mean
    assert after.series["ttft_ms"].mean == pytest.approx(
        whole["benchmarks"][0]["metrics"]["time_to_first_token_ms"]["successful"]["mean"]
    )


def test_that_guidellm_s_itl_is_our_tpot_and_its_ttft_counts_from_due_where_stamps_allow(
    read: Callable[[object], PeerRun],
) -> None:
    whole = content("guidellm.json")
    benchmark = whole["benchmarks"][0]
    (run,) = read_peer_runs(MADE / "guidellm.json")
    successful = benchmark["requests"]["successful"]
    stamps = [each["info"]["timings"] for each in successful]
    due = [(each["first_token_iteration"] - each["targeted_start"]) * 1e3 for each in stamps]
    assert run.series["ttft_ms"].mean == pytest.approx(np.mean(due))
    assert run.series["e2e_ms"].max == pytest.approx(
        max((each["request_end"] - each["targeted_start"]) * 1e3 for each in stamps)
    )
    assert run.series["tpot_ms"].p95 is None  # twenty requests, however many tokens
    assert (
        run.series["tpot_ms"].p50
        == benchmark["metrics"]["inter_token_latency_ms"]["successful"]["percentiles"]["p50"]
    )
    assert "itl_ms" not in run.series
    assert any("again from due" in str(each) for each in run.differs)
    benchmark["requests"]["successful"] = []
    again = read(whole)
    assert again.series["e2e_ms"].mean == pytest.approx(
        benchmark["metrics"]["request_latency"]["successful"]["mean"] * 1e3
    )
    assert (
        again.series["ttft_ms"].mean == benchmark["metrics"]["time_to_first_token_ms"]["successful"]["mean"]
    )
    assert any("from the send, not from due" in str(each) for each in again.differs)


def test_that_a_zero_that_stands_for_unknown_stays_unknown(read: Callable[[object], PeerRun]) -> None:
    whole = content("guidellm.json")
    for benchmark in whole["benchmarks"]:
        benchmark["requests"]["successful"] = []
        figures = benchmark["metrics"]["time_to_first_token_ms"]["successful"]
        figures |= {"mean": 0.0, "max": 0.0, "percentiles": {"p50": 0.0}}
    assert "ttft_ms" not in read(whole).series


def test_that_aiperf_s_units_and_names_become_ours(read: Callable[[object], PeerRun]) -> None:
    (run,) = read_peer_runs(MADE / "aiperf.json")
    stated = content("aiperf.json")
    assert run.tool == "AIPerf"
    assert run.version == stated["aiperf_version"]
    assert run.counts.completed == stated["request_count"]["avg"]
    assert run.series["ttft_ms"].p50 == stated["time_to_first_token"]["p50"]
    assert run.series["client_delay_ms"].p50 == stated["credit_to_start_latency"]["p50"]
    assert "itl_ms" not in run.series
    assert (run.rate, run.concurrency, run.model) == (5.0, None, "truth")
    assert run.started_utc is None  # its time says no zone
    seconds = stated["request_latency"]
    ms = run.series["e2e_ms"].mean
    stated["request_latency"] = {
        name: "sec" if name == "unit" else value / 1e3 if name != "count" else value
        for name, value in seconds.items()
    }
    assert read(stated).series["e2e_ms"].mean == pytest.approx(ms)


def test_that_figures_by_a_client_s_own_token_count_are_left_out_where_usage_says_another(
    read: Callable[[object], PeerRun],
) -> None:
    stated = content("aiperf.json")
    assert stated["total_output_tokens"]["avg"] == 2 * stated["total_usage_completion_tokens"]["avg"]
    run = read(stated)
    assert "tpot_ms" not in run.series
    assert run.output_tok_s == pytest.approx(1280 / stated["benchmark_duration"]["avg"])
    assert any("2,560 output tokens where usage says 1,280" in str(each) for each in run.differs)
    stated["total_usage_completion_tokens"] = stated["total_output_tokens"]
    same = read(stated)
    assert same.series["tpot_ms"].mean == stated["inter_token_latency"]["avg"]
    assert same.output_tok_s == stated["output_token_throughput"]["avg"]


def test_that_results_one_after_another_in_a_file_are_runs_of_their_own(tmp_path: Path) -> None:
    one = (MADE / "vllm_bench.json").read_text()
    (tmp_path / "all.json").write_text(f"{one}\n{one}\n")
    assert len(read_peer_runs(tmp_path / "all.json")) == 2


def test_that_a_sweep_s_list_of_results_is_as_many_runs(tmp_path: Path) -> None:
    one = content("vllm_bench.json")
    (tmp_path / "summary.json").write_text(json.dumps([one, one, one]))
    assert len(read_peer_runs(tmp_path / "summary.json")) == 3
