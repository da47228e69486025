"""Every format: what is read, kept, dropped and why, pinned by a table; and what each one's traps are."""

import re
from pathlib import Path

import numpy as np
import pytest

from workbench.base import InputError, Refusal
from workbench.traces import IMPORTERS, import_trace, open_loop

MADE = Path(__file__).parents[2] / "data" / "traces"

# file, format, read, kept, dropped by reason
SAMPLES = [
    ("traces/azure2023_code.first3000.csv", "azure", 3000, 3000, {}),
    ("traces/azure2023_conv.first1500.csv", "azure", 1500, 1500, {}),
    ("traces/mooncake_conversation.first700.jsonl", "mooncake", 700, 700, {}),
    ("traces/mooncake_arxiv_mixed.sample.jsonl", "mooncake", 52, 52, {}),
    ("traces/burstgpt_1.first298.csv", "burstgpt", 298, 287, {"no input tokens": 11}),
    ("traces/agentic_weka_trace_0060.json", "weka", 9, 9, {}),
    ("traces/tracelab_example_sanitized.round_trace.jsonl", "tracelab", 19, 19, {}),
    ("traces/sharegpt_like_inference-perf.json", "sharegpt", 2, 2, {}),
    ("measured/RTX4090_Llama-3.1-8B.requests.jsonl", "measured", 300, 300, {}),
    ("measured/RTXPRO6000_Llama-3.1-8B.requests.jsonl", "measured", 300, 300, {}),
    ("logs/langfuse_observation.json", "langfuse", 1, 1, {}),
    ("logs/litellm_spendlogs.jsonl", "litellm", 3, 2, {"answered by the proxy's cache": 1}),
    ("logs/nginx_access.ILLUSTRATIVE.log", "nginx", 3, 2, {"failed request": 1}),
    ("logs/otel_genai_simple_chain.json", "otel", 3, 3, {}),
    ("logs/vllm_otel_span.ILLUSTRATIVE.json", "otel", 1, 1, {}),
    ("logs/vllm-vcr_spec_decode_trace.jsonl", "vcr", 8, 8, {}),
    ("logs/vllm_request_log.log", "vllm-log", 5, 3, {"not a received request": 2}),
]

SYNTHETIC = [
    ("synthetic_azure2024.csv", "azure", 4, 3, {"no input tokens": 1}),
    ("synthetic_canonical.jsonl", "canonical", 4, 4, {}),
    ("synthetic_mooncake.jsonl", "mooncake", 3, 3, {}),
    ("synthetic_nginx.log", "nginx", 5, 3, {"failed request": 1, "not a generation": 1}),
    ("synthetic_vllm_request.log", "vllm-log", 4, 2, {"not a received request": 1, "no token counts": 1}),
    ("synthetic_burstgpt3.csv", "burstgpt", 4, 3, {"no output tokens": 1}),
    ("synthetic_bailian.jsonl", "bailian", 4, 4, {}),
    ("synthetic_weka.jsonl", "weka", 5, 5, {}),
    ("synthetic_tracelab.csv", "tracelab-csv", 3, 3, {}),
    ("synthetic_timed_trace.jsonl", "timed_trace", 3, 3, {}),
    ("synthetic_aiperf.jsonl", "aiperf", 5, 4, {"no output length": 1}),
    ("synthetic_measured.jsonl", "measured", 2, 2, {}),
    ("synthetic_per_request.csv", "per-request", 6, 5, {"warm-up request": 1}),
    (
        "synthetic_sharegpt.json",
        "sharegpt",
        4,
        2,
        {"an answer without a question": 1, "not a conversation": 1},
    ),
    ("synthetic_langfuse_trace.json", "langfuse", 3, 2, {"not a generation": 1}),
    (
        "synthetic_langfuse_blob.jsonl",
        "langfuse",
        4,
        1,
        {"not a generation": 1, "no token counts": 1, "line is not JSON": 1},
    ),
    ("synthetic_helicone.jsonl", "helicone", 3, 2, {"failed request": 1}),
    ("synthetic_helicone.csv", "helicone", 3, 2, {"no token counts": 1}),
    ("synthetic_otel_vllm.jsonl", "otel", 3, 2, {"not a generation": 1}),
    ("synthetic_vcr.jsonl", "vcr", 2, 2, {}),
    (
        "synthetic_litellm.jsonl",
        "litellm",
        6,
        2,
        {"not a generation": 1, "failed request": 1, "no start time": 1, "no token counts": 1},
    ),
]


def check(path: Path, name: str, read: int, kept: int, dropped: dict[str, int]) -> None:
    report = import_trace(path).report
    assert (report.format, report.rows_read, report.rows_kept) == (name, read, kept)
    assert dict(report.rows_dropped) == dropped
    assert report.rows_read == report.rows_kept + sum(report.rows_dropped.values())


@pytest.mark.parametrize(
    ("file", "name", "read", "kept", "dropped"), SAMPLES, ids=[row[0] for row in SAMPLES]
)
def test_that_every_shared_sample_imports_as_the_table_says(shared, file, name, read, kept, dropped):
    check(shared(file), name, read, kept, dropped)


@pytest.mark.parametrize(
    ("file", "name", "read", "kept", "dropped"), SYNTHETIC, ids=[row[0] for row in SYNTHETIC]
)
def test_that_every_synthetic_sample_imports_as_the_table_says(file, name, read, kept, dropped):
    check(MADE / file, name, read, kept, dropped)


def test_that_every_importer_has_a_sample():
    covered = {row[1] for row in SAMPLES + SYNTHETIC}
    assert {importer.name for importer in IMPORTERS} == covered


def test_that_naming_the_format_reads_the_same_as_finding_it():
    for file, name, *_ in SYNTHETIC:
        path = MADE / file
        if "litellm" not in file:
            assert import_trace(path, format=name).trace.sha256(1) == import_trace(path).trace.sha256(1)


def rows_of(file: str):
    return list(import_trace(MADE / file).trace.rows())


def test_that_burstgpt_sessions_and_elapsed_times_are_read_by_name():
    imported = import_trace(MADE / "synthetic_burstgpt3.csv")
    assert [(row.session_id, row.turn, row.timestamp) for row in imported.trace.rows()] == [
        ("3-41", 0, 0),
        ("3-41", 1, 30_000),
        (None, None, 31_000),
    ]
    assert imported.latency.e2e_ms.tolist() == [7250, 3000, 2000]


def test_that_bailian_turns_are_sessions_by_their_root_chat():
    rows = rows_of("synthetic_bailian.jsonl")
    assert [(row.session_id, row.turn) for row in rows] == [("159", 0), ("159", 1), ("159", 2), ("55", 3)]
    assert rows[1].timestamp == pytest.approx(14_386)
    assert rows[2].hash_ids[-1] == 2**64 - 1


def test_that_weka_sessions_keep_local_ids_apart_and_sub_agents_are_sessions():
    rows = rows_of("synthetic_weka.jsonl")
    by_session = {}
    for row in rows:
        by_session.setdefault(row.session_id, []).append(row)
    assert set(by_session) == {"1/trace_a", "1/trace_a-agent1", "2/trace_b"}
    assert [(row.turn, row.delay) for row in by_session["1/trace_a"]] == [(0, None), (1, 10_000)]
    assert by_session["1/trace_a"][0].hash_ids[0] == by_session["1/trace_a-agent1"][0].hash_ids[0]
    assert not set(by_session["2/trace_b"][0].hash_ids) & set(by_session["1/trace_a"][1].hash_ids)


def test_that_tracelab_prefixes_keep_the_blocks_that_the_provider_had_cached():
    rows = rows_of("synthetic_tracelab.csv")
    assert [(row.input_length, row.turn, row.delay) for row in rows] == [
        (900, 0, None),
        (1300, 1, 250),
        (656, 0, None),
    ]
    assert rows[0].hash_ids == (0, 1, 2, 3)
    assert rows[1].hash_ids[:3] == (0, 1, 2)
    assert rows[1].timestamp == 250


def test_that_a_tracelab_round_is_due_at_its_last_input(shared):
    imported = import_trace(shared("traces/tracelab_example_sanitized.round_trace.jsonl"))
    first, second = (row for row in imported.trace.rows() if row.input_length in (32_272, 35_740))
    assert second.timestamp - first.timestamp == pytest.approx(30_787)
    assert second.delay == pytest.approx(30_787 - 11_496)


def test_that_timed_traces_are_told_from_mooncake_by_their_blocks():
    imported = import_trace(MADE / "synthetic_timed_trace.jsonl")
    assert imported.trace.header.block_tokens == 16
    assert imported.trace.timestamp_ms.tolist() == [0, 500, 2250]
    as_mooncake = import_trace(MADE / "synthetic_timed_trace.jsonl", format="mooncake")
    assert as_mooncake.trace.header.block_tokens == 16
    assert any("blocks of 16 tokens" in str(note) for note in as_mooncake.report.notes)


def test_that_seconds_in_a_format_of_milliseconds_are_refused_with_the_way_out(write):
    lines = "".join(
        f'{{"timestamp": {i * 0.25}, "input_length": 600, "output_length": 5}}\n' for i in range(2000)
    )
    said = "timestamp in ms gives a mean rate of 4,000 requests/s; in s it would be 4: state the unit"
    with pytest.raises(Refusal, match=re.escape(said)):
        import_trace(write(lines), format="mooncake")
    assert import_trace(write(lines), format="mooncake", time_unit="s").trace.timestamp_ms[1] == 250
    for gap, rows in ((0.5, 4000), (1, 500)):
        # Two seconds of a heavy load, and a burst on whole milliseconds, may be what they say.
        likely = "".join(
            f'{{"timestamp": {i * gap}, "input_length": 600, "output_length": 5}}\n' for i in range(rows)
        )
        warnings = import_trace(write(likely), format="mooncake").report.warnings
        assert not any("mean rate" in str(warning) for warning in warnings)
    fast = "".join(
        f'{{"timestamp": {i * 0.01}, "input_length": 600, "output_length": 5}}\n' for i in range(2000)
    )
    said = "timestamp in ms gives a mean rate of 100,000 requests/s; in s it would be 100"
    with pytest.raises(Refusal, match=said):
        import_trace(write(fast), format="mooncake")


def test_that_aiperf_deltas_grow_the_conversation():
    rows = rows_of("synthetic_aiperf.jsonl")
    assert [(row.timestamp, row.input_length, row.delay) for row in rows[:2]] == [
        (0, 600, None),
        (250, 740, 250),
    ]
    assert rows[2].input_length == 10


def test_that_langfuse_counts_cached_input_and_reasoning_output():
    blob = rows_of("synthetic_langfuse_blob.jsonl")[0]
    assert (blob.input_length, blob.output_length) == (124, 388)
    imported = import_trace(MADE / "synthetic_langfuse_trace.json")
    assert [(row.session_id, row.turn, row.timestamp) for row in imported.trace.rows()] == [
        ("s1", 0, 0),
        ("s1", 1, 10_500),
    ]
    assert imported.latency.ttft_ms[0] == 400
    assert np.isnan(imported.latency.ttft_ms[1])


def test_that_seconds_to_first_token_become_milliseconds(shared):
    langfuse = import_trace(shared("logs/langfuse_observation.json"))
    assert langfuse.latency.ttft_ms.tolist() == [6322]
    vllm = import_trace(shared("logs/vllm_otel_span.ILLUSTRATIVE.json"))
    assert vllm.latency.ttft_ms[0] == pytest.approx(115.546)


def test_that_litellm_s_unstreamed_answers_have_no_time_to_first_token(shared):
    latency = import_trace(shared("logs/litellm_spendlogs.jsonl")).latency
    assert np.isnan(latency.ttft_ms[0])
    assert latency.ttft_ms[1] == pytest.approx(128)


def test_that_nginx_arrivals_are_ends_less_request_times(shared):
    trace = import_trace(shared("logs/nginx_access.ILLUSTRATIVE.log")).trace
    assert trace.timestamp_ms.tolist() == [0, 3867]


def test_that_vcr_hashes_and_arrivals_are_the_engine_s():
    imported = import_trace(MADE / "synthetic_vcr.jsonl")
    first, second = imported.trace.rows()
    assert first.hash_ids == (2**64 - 1, 7)
    assert second.hash_ids == (2**64 - 1, 2**63)
    assert second.timestamp == 9.25
    assert imported.latency.e2e_ms.tolist() == [18, 42]


def test_that_the_vllm_log_reads_token_ids_and_says_what_is_estimated(shared):
    imported = import_trace(shared("logs/vllm_request_log.log"))
    lengths = {(row.input_length, row.output_length) for row in imported.trace.rows()}
    assert {(6, 512), (2, 16)} < lengths
    assert any("upper bound" in str(warning) for warning in imported.report.warnings)


def test_that_a_log_without_requests_says_so(shared):
    with pytest.raises(InputError, match="request logging was off"):
        import_trace(shared("logs/vllm_v1_engine_stats.log"))


def test_that_the_year_turns_in_a_log_without_years(write):
    line = (
        "INFO {} [logger.py:39] Received request c{}: prompt: 'hi', params: SamplingParams(max_tokens=4), "
        "prompt_token_ids: [1, 2], lora_request: None.\n"
    )
    text = line.format("12-31 23:59:59", 1) + line.format("01-01 00:00:01", 2)
    assert import_trace(write(text, "x.log")).trace.timestamp_ms.tolist() == [0, 2000]


def test_that_sources_without_times_are_a_request_a_second_and_turns_wait():
    trace = import_trace(MADE / "synthetic_sharegpt.json").trace
    assert [(row.timestamp, row.turn, row.delay) for row in trace.rows()] == [(0, 0, None), (0, 1, 0)]
    assert open_loop(trace).after.tolist() == [-1, 0]


def test_that_measured_runs_keep_the_engine_s_latencies_apart():
    imported = import_trace(MADE / "synthetic_measured.jsonl")
    assert imported.trace.timestamp_ms.tolist() == [0, 500]
    assert imported.latency.ttft_ms.tolist() == [500, 250]
    assert imported.latency.e2e_ms.tolist() == [10_000, 1000]


def test_that_mixed_zones_are_warned_of(write):
    row = '{{"call_type": "", "spend": 0, "startTime": "{}", "prompt_tokens": 5, "completion_tokens": 5}}\n'
    path = write(row.format("2026-05-07T00:00:00+02:00") + row.format("2026-05-06T22:00:01"))
    imported = import_trace(path)
    assert imported.trace.timestamp_ms.tolist() == [0, 1000]
    assert any("some times have a zone" in str(warning) for warning in imported.report.warnings)


@pytest.mark.parametrize(
    ("times", "kind", "values", "act"),
    [
        ([0, 2999, 6000, 12001], "traces.times_in_ticks", {"count": 12, "distinct": 4}, True),
        ([0, 2999, 7000, 12001], "traces.times_in_bursts", {"count": 12, "distinct": 4}, False),
        ([0, 3000], "traces.times_in_bursts", {"count": 6, "distinct": 2}, False),
        ([0], "traces.one_time", {"count": 3}, False),
    ],
)
def test_that_times_are_snapped_to_ticks_only_where_they_lie_on_an_even_grid(write, times, kind, values, act):
    """Else they are bursts, which nothing is to be done about."""
    row = '{{"timestamp": {}, "input_length": 5, "output_length": 1, "hash_ids": [1]}}\n'
    lines = "".join(3 * row.format(at) for at in times)
    report = import_trace(write(lines), format="mooncake").report
    (found,) = report.warnings
    assert (found.kind, found.values) == (kind, values)
    assert (found in report.to_act_on) is act


def test_that_nothing_is_to_be_done_where_rows_were_put_in_order_and_prompts_have_no_prefixes(write):
    row = '{{"timestamp": {}, "input_length": 5, "output_length": 1}}\n'
    report = import_trace(write("".join(row.format(at) for at in (500, 0, 1700))), format="mooncake").report
    assert len(report.warnings) == 2
    assert report.to_act_on == []
