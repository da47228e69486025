import csv
import io
import math
import subprocess
import sys

import pytest

from tests.unit.results.making import request, unanswered
from workbench.base import InputError
from workbench.results import (
    COLUMNS,
    BenchFile,
    Histogram,
    Objectives,
    RunFrame,
    ServerDelta,
    scorecard_rows,
    summarize_run,
    write_csv,
)
from workbench.results.exports.csv_export import plain_number, significant

CONTRACT_ORDER = [
    *("run", "offered_rps", "completed_rps", "ttft_p95_ms", "queue_p95_ms", "e2e_p95_ms", "error_rate"),
    *("preemptions", "queue_p95_lo_ms", "queue_p95_hi_ms", "queue_source", "ttft_p50_ms", "itl_p95_ms"),
    *("output_tok_s", "accepted_rps", "rejected_rate", "gpu_mem_peak_gib", "kv_peak", "requeue_wait_p95_ms"),
    *("control", "value", "valid", "reasons", "diverging", "simulated", "profile", "n"),
]

PROCUREMENT = """
run_id run_group start_utc end_utc operator tool_version report_sha256 evidence_path status supplier
system_name availability gpu_model gpu_count gpu_memory_gib_physical gpu_power_cap_w interconnect
host_cpu host_cores host_ram_gib cloud instance_type region driver cuda vllm_version image_digest
args_full effective_args changed_control old_value new_value model model_revision dtype quantization
kv_cache_dtype tp pp dp gpu_memory_utilization max_model_len kv_cache_gib kv_cache_tokens trace_name
trace_sha256 arrival_mode requests isl_p50 isl_p95 osl_p50 osl_p95 cancel_pct shared_prefix_pct
burst_factor seed warmup_s cache_reset repeats slo_ttft_ms slo_queue_ms slo_e2e_ms slo_itl_ms
acceptance_rule sent_rps ttft_p99_ms queue_p50_ms e2e_p50_ms e2e_p99_ms input_tok_s tok_s_per_gpu
tok_s_per_user cancelled timeouts waiting_max kv_peak_pct prefix_hit_pct quality_check
send_lag_p99_ms client_cpu_max_pct n_samples ci95_low ci95_high cv_over_repeats metrics_missing
clock_source power_avg_w power_peak_w energy_j j_per_output_token j_per_accepted power_method
sample_hz pue tariff_per_kwh currency price_basis unit_price price_date price_source
contracted_discount_pct amortisation_months residual_pct discount_rate_pct hosting_per_month
support_per_year tax_included utilisation_pct idle_cost_share eff_cost_per_gpu_hour
cost_per_1k_accepted cost_per_1m_output_tokens cost_reserved_basis cost_used_basis fx_rate fx_date
sensitivity_low sensitivity_high
"""


@pytest.fixture
def bench(tmp_path):
    file = BenchFile.create(tmp_path / "b.bench")
    yield file
    file.close()


def summary(ttft=0.1, server=None, objectives=None):
    records = [request(i, due=i / 10, ttft=ttft) for i in range(100)]
    return summarize_run(records, RunFrame(length_s=10.0), server=server, objectives=objectives)


def add(bench, experiment, label, control=None, value=None, repeat=1, status="done", figures=None, **fields):
    config = {"max_num_seqs": 256, "max_num_batched_tokens": 8192} | ({control: value} if control else {})
    stated = {"rate": 10.0, "trace_sha256": "t"} | fields
    run = bench.add_run(
        experiment, label, control=control, value=value, config=config, repeat=repeat, **stated
    )
    bench.finish_run(run, status, figures if status != "failed" else None)
    return run


def rows(bench):
    return scorecard_rows(bench)


def test_that_the_first_columns_are_the_contracts_in_their_order():
    assert [column.name for column in COLUMNS][: len(CONTRACT_ORDER)] == CONTRACT_ORDER


def test_that_every_procurement_column_is_there_once():
    names = [column.name for column in COLUMNS]
    assert not set(PROCUREMENT.split()) - set(names)
    assert len(names) == len(set(names))


def test_that_every_column_says_what_it_is_and_where_it_comes_from():
    assert all(column.definition and column.source for column in COLUMNS)


def test_that_the_star_has_the_baseline_first_and_one_row_a_variant(bench):
    seats = bench.add_experiment("seats", "")
    budget = bench.add_experiment("budget", "")
    add(bench, seats, "seats 32", "max_num_seqs", 32, figures=summary())
    add(bench, seats, "baseline", figures=summary())
    add(bench, budget, "budget 2048", "max_num_batched_tokens", 2048, figures=summary())
    add(bench, seats, "seats 8", "max_num_seqs", 8, figures=summary())
    assert [row.cells["run"] for row in rows(bench)] == ["baseline", "seats 8", "seats 32", "budget 2048"]
    assert [row.cells["old_value"] for row in rows(bench)] == [None, 256, 256, 8192]
    assert [row.cells["new_value"] for row in rows(bench)] == [None, 8, 32, 2048]


def test_that_repeats_are_one_row_with_their_mean_and_its_interval(bench):
    experiment = bench.add_experiment("x", "")
    ids = [
        add(bench, experiment, f"baseline #{i}", repeat=i, figures=summary(ttft=i / 10)) for i in (1, 2, 3)
    ]
    (row,) = rows(bench)
    assert row.run_ids == tuple(ids)
    assert (row.cells["run"], row.cells["n"]) == ("baseline", 3)
    assert row.cells["ttft_p95_ms"] == pytest.approx(200)
    # Student's t for 2 degrees of freedom: 4.303; the standard deviation of 100, 200, 300 is 100.
    assert row.cells["ci95_low"] == pytest.approx(200 - 4.3027 * 100 / 3**0.5, rel=1e-4)
    assert row.cells["ci95_high"] == pytest.approx(200 + 4.3027 * 100 / 3**0.5, rel=1e-4)
    assert row.cells["cv_over_repeats"] == pytest.approx(0.5)
    assert row.cells["n_samples"] == 300


def test_that_rates_of_one_configuration_are_rows_of_their_own(bench):
    experiment = bench.add_experiment("x", "")
    for rate in (8.0, 2.0, 4.0):
        add(bench, experiment, f"baseline @ {rate:g}", rate=rate, figures=summary())
    assert [row.cells["run"] for row in rows(bench)] == ["baseline @ 2", "baseline @ 4", "baseline @ 8"]


@pytest.mark.parametrize(
    "other",
    [{"trace_sha256": "u"}, {"profile": "b"}, {"time_scale": 2.0}, {"effective": {"version": "0.31"}}],
)
def test_that_runs_that_differ_in_what_must_be_constant_are_never_repeats(bench, other):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", figures=summary())
    add(bench, experiment, "baseline", figures=summary(), **other)
    assert [row.cells["n"] for row in rows(bench)] == [1, 1]


def test_that_a_failed_repeat_lowers_n_and_changes_no_figure(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline #1", figures=summary())
    add(bench, experiment, "baseline #2", repeat=2, status="failed", trace_sha256=None)
    (row,) = rows(bench)
    assert (row.cells["n"], row.cells["status"], len(row.run_ids)) == (1, "valid", 2)


def test_that_a_configuration_that_only_failed_is_a_row_without_figures(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", status="failed", trace_sha256=None)
    (row,) = rows(bench)
    assert (row.cells["status"], row.cells["n"], row.cells["ttft_p95_ms"]) == ("failed", 0, None)


def test_that_a_stopped_run_counts_only_where_no_repeat_ended_as_planned(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", status="partial", figures=summary(ttft=0.9))
    assert rows(bench)[0].cells["ttft_p95_ms"] == pytest.approx(900)
    add(bench, experiment, "baseline", status="done", figures=summary(ttft=0.1))
    assert rows(bench)[0].cells["ttft_p95_ms"] == pytest.approx(100)


def test_that_one_invalid_repeat_makes_the_row_invalid_and_gives_its_reason(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline #1", figures=summary())
    add(bench, experiment, "baseline #2", figures=summary(server=ServerDelta(restarted=True)))
    cells = rows(bench)[0].cells
    assert (cells["valid"], cells["status"]) == (False, "valid | invalid")
    assert cells["reasons"] == "server restarted during the run: a counter shrank"


def test_that_queue_buckets_over_repeats_reach_over_all_of_them(bench):
    experiment = bench.add_experiment("x", "")
    low = Histogram(edges=(0.3, 0.5, 0.8), counts=(100.0, 0.0, 0.0, 0.0), sum=1.0)
    high = Histogram(edges=(0.3, 0.5, 0.8), counts=(0.0, 100.0, 0.0, 0.0), sum=40.0)
    for queue in (low, high):
        add(bench, experiment, "baseline", figures=summary(server=ServerDelta(queue=queue, preemptions=3)))
    cells = rows(bench)[0].cells
    assert (cells["queue_p95_lo_ms"], cells["queue_p95_hi_ms"], cells["queue_p95_ms"]) == (0, 500, None)
    assert (cells["queue_source"], cells["preemptions"]) == ("histogram", 3)


def test_that_facts_fill_columns_of_a_run_before_those_of_the_experiment(bench):
    experiment = bench.add_experiment("x", "", facts={"gpu_model": "H100", "gpu_count": 2, "seed": 1})
    add(bench, experiment, "baseline", figures=summary(), facts={"seed": 7})
    cells = rows(bench)[0].cells
    assert (cells["gpu_model"], cells["seed"]) == ("H100", 7)
    assert cells["tok_s_per_gpu"] == pytest.approx(cells["output_tok_s"] / 2)


def test_that_cost_is_by_accepted_work_and_idle_time_divides_once(bench):
    price = {
        "currency": "EUR",
        "price_basis": "on_demand",
        "unit_price": 3.6,
        "utilisation_pct": 50,
        "gpu_count": 2,
    }
    experiment = bench.add_experiment("x", "", facts=price)
    add(bench, experiment, "baseline", figures=summary())
    cells = rows(bench)[0].cells
    # 3.6 an hour is 0.001 a second; all that was due in the window was accepted: 10 requests a second.
    assert cells["cost_per_1k_accepted"] == pytest.approx(1 / 10)
    assert cells["cost_used_basis"] == cells["cost_per_1k_accepted"]
    assert cells["cost_reserved_basis"] == pytest.approx(2 * cells["cost_per_1k_accepted"])
    assert cells["cost_per_1m_output_tokens"] == pytest.approx(1000 / (10 * 3))
    assert cells["cost_per_1m_accepted_output_tokens"] == pytest.approx(1000 / (10 * 3))
    assert (cells["idle_cost_share"], cells["eff_cost_per_gpu_hour"]) == (0.5, 1.8)


def test_that_idle_time_follows_from_the_demand_and_not_from_the_run(bench):
    demand = {"curve": [[12, 1.0], [12, 3.0]], "headroom": 0.0, "spare": 0, "servers": None}
    facts = {"currency": "EUR", "price_basis": "purchase", "cost_per_hour": 3.6, "demand": demand}
    experiment = bench.add_experiment("x", "", facts=facts)
    add(bench, experiment, "baseline", figures=summary())
    cells, accepted = rows(bench)[0].cells, 10.0
    systems = math.ceil(3.0 / accepted)
    assert (cells["demand_peak_rps"], cells["demand_mean_rps"]) == (3.0, 2.0)
    assert cells["servers_needed"] == systems
    busy = 2.0 / (systems * accepted)
    assert cells["utilisation_pct"] == pytest.approx(100 * busy)
    assert cells["idle_cost_share"] == pytest.approx(1 - busy)
    assert cells["cost_reserved_basis"] == pytest.approx(1 / accepted / busy)
    assert cells["sensitivity_low"] < cells["cost_reserved_basis"] < cells["sensitivity_high"]


def test_that_without_an_accepted_response_cost_is_empty(bench):
    experiment = bench.add_experiment("x", "", facts={"unit_price": 3.6, "price_basis": "on_demand"})
    add(bench, experiment, "baseline", figures=summary(objectives=Objectives(ttft_p95_ms=1)))
    cells = rows(bench)[0].cells
    assert (cells["accepted_rps"], cells["cost_per_1k_accepted"]) == (0, None)


def test_that_energy_is_power_over_rates(bench):
    experiment = bench.add_experiment("x", "", facts={"power_avg_w": 500})
    figures = summary()
    add(bench, experiment, "baseline", figures=figures)
    cells = rows(bench)[0].cells
    assert cells["energy_j"] == 5000
    assert cells["j_per_accepted"] == pytest.approx(500 / figures.accepted_rps)


def test_that_requests_left_open_at_the_end_are_told_in_the_notes(bench):
    open_ = [unanswered(100 + i, due=9.0) for i in range(16)]
    records = [*(request(i, due=i / 10) for i in range(100)), *open_]
    figures = summarize_run(records, RunFrame(length_s=10.0, ended=70.2))
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", figures=figures)
    add(bench, experiment, "seats 8", "max_num_seqs", 8, figures=summary())
    assert [row.cells["notes"] for row in rows(bench)] == [
        "16 requests were still open when the drain of 60 s ended",
        None,
    ]


def test_that_what_was_never_sent_is_not_called_open(bench):
    records = [*(request(i, due=i / 10) for i in range(100)), unanswered(100, due=9.0, sent=None)]
    figures = summarize_run(records, RunFrame(length_s=10.0, ended=40.0))
    add(bench, bench.add_experiment("x", ""), "baseline", figures=figures)
    assert (
        rows(bench)[0].cells["notes"] == "1 request was not sent or still open when the drain of 30 s ended"
    )


def test_that_the_old_value_is_what_the_baselines_server_tells_under_another_name(bench):
    experiment = bench.add_experiment("x", "")
    started = {"command": "serve", "effective": {"num_gpu_blocks": 28065}}
    add(bench, experiment, "baseline", figures=summary(), **started)
    add(bench, experiment, "blocks 1100", "num_gpu_blocks_override", 1100, figures=summary())
    add(bench, experiment, "queue 8", "max_num_queued_reqs", 8, figures=summary())
    assert [row.cells["old_value"] for row in rows(bench)] == [None, 28065, "none"]


def test_that_nobody_knows_the_admission_limit_of_a_server_that_others_started(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", figures=summary())
    add(bench, experiment, "queue 8", "max_num_queued_reqs", 8, figures=summary())
    assert rows(bench)[1].cells["old_value"] is None


def test_that_tensor_parallelism_of_a_simulated_server_is_its_profiles(bench):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", figures=summary(), profile="h100_sxm/Llama-3.1-70B/tp4")
    told = {"effective": {"tensor_parallel_size": 2}, "profile": "h100_sxm/Llama-3.1-70B/tp4"}
    add(bench, experiment, "seats 8", "max_num_seqs", 8, figures=summary(), **told)
    assert [row.cells["tp"] for row in rows(bench)] == [4, 2]


def written(bench, tmp_path):
    path = tmp_path / "scorecard.csv"
    write_csv(bench, path)
    return path.read_bytes()


def table(content):
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def test_that_the_csv_reads_back_as_the_rows(bench, tmp_path):
    experiment = bench.add_experiment("x", "")
    add(bench, experiment, "baseline", figures=summary(), simulated=True)
    content = written(bench, tmp_path)
    assert not content.startswith(b"\xef\xbb\xbf")
    (row,) = table(content)
    assert list(row) == [column.name for column in COLUMNS]
    assert (float(row["ttft_p95_ms"]), row["queue_p95_ms"], row["simulated"]) == (100, "", "true")
    assert row["start_utc"].endswith("Z")


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-2", "@SUM(A1)", "\tx", "\rx"])
def test_that_text_that_a_spreadsheet_would_compute_gets_an_apostrophe(bench, tmp_path, text):
    experiment = bench.add_experiment(text, "", facts={"supplier": text})
    add(bench, experiment, text, figures=summary())
    (row,) = table(written(bench, tmp_path))
    assert (row["run"], row["supplier"], row["run_group"]) == (f"'{text}",) * 3


def test_that_a_negative_number_stays_a_number(bench, tmp_path):
    experiment = bench.add_experiment("x", "", facts={"sensitivity_low": -1.5})
    add(bench, experiment, "baseline", figures=summary())
    assert table(written(bench, tmp_path))[0]["sensitivity_low"] == "-1.5"


@pytest.mark.parametrize("text", ['a,"b"\nc', "模型", "naïve ✓"])
def test_that_commas_quotes_lines_and_any_script_survive(bench, tmp_path, text):
    experiment = bench.add_experiment("x", "", facts={"supplier": text})
    add(bench, experiment, "baseline", figures=summary())
    assert table(written(bench, tmp_path))[0]["supplier"] == text


def test_that_an_unwritable_folder_is_named_and_the_old_file_stands(bench, tmp_path):
    with pytest.raises(InputError, match="nowhere"):
        write_csv(bench, tmp_path / "nowhere" / "s.csv")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234567.89, "1234568"),
        (0.000012345678, "0.0000123457"),
        (-0.5, "-0.5"),
        (3.0, "3"),
        (1e20, "1" + "0" * 20),
    ],
)
def test_that_numbers_have_six_digits_and_no_exponent(value, text):
    assert plain_number(significant(value)) == text


def test_that_slow_libraries_are_not_imported_before_they_are_needed():
    slow = ("openpyxl", "pandas", "scipy")
    code = f"import sys, workbench.results; print([name for name in {slow} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_tokens_of_answers_that_nobody_accepted_cost_but_are_not_accepted(bench):
    """Half of the answers miss the objective: a token that counts is twice as dear."""
    records = [request(i, due=i / 10, ttft=0.1 if i % 2 else 0.5) for i in range(100)]
    objectives = Objectives(ttft_p95_ms=200)
    figures = summarize_run(records, RunFrame(length_s=10.0), objectives=objectives)
    price = {"currency": "EUR", "price_basis": "on_demand", "unit_price": 3.6}
    experiment = bench.add_experiment("x", "", objectives=objectives, facts=price)
    add(bench, experiment, "baseline", figures=figures)
    cells = rows(bench)[0].cells
    assert cells["cost_per_1m_output_tokens"] == pytest.approx(1000 / 30)
    assert cells["cost_per_1m_accepted_output_tokens"] == pytest.approx(1000 / 15)
    assert cells["cost_per_1k_accepted"] == pytest.approx(1 / 5)


def test_a_file_without_accepted_tokens_leaves_their_cost_unknown(bench):
    experiment = bench.add_experiment("x", "", facts={"price_basis": "on_demand", "unit_price": 3.6})
    run = add(bench, experiment, "baseline", figures=summary())
    stored = bench.run(run).summary
    kept = {name: value for name, value in stored.items() if not name.startswith("accepted_output")}
    bench.update_run(run, summary=kept)
    cells = rows(bench)[0].cells
    assert cells["cost_per_1m_output_tokens"] is not None
    assert cells["cost_per_1m_accepted_output_tokens"] is None
