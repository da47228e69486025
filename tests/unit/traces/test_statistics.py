"""The statistics of a trace and the data of its preview."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.traces import (
    Trace,
    TraceRow,
    ideal_hit_tokens,
    import_trace,
    pool_hit_tokens,
    summarize_latency,
    summarize_trace,
    synthetic_trace,
    trace_curves,
    with_arrivals,
)


def trace_of(*rows: TraceRow, block_tokens: int = 10) -> Trace:
    return Trace.from_rows(rows, block_tokens=block_tokens)


def row(timestamp: float, input_length: int = 40, ids: tuple[int, ...] | None = None, **fields) -> TraceRow:
    return TraceRow(timestamp=timestamp, input_length=input_length, output_length=4, hash_ids=ids, **fields)


def test_that_lengths_and_rate_are_what_numpy_says():
    trace = trace_of(*(row(1000 * i, input_length=i + 1) for i in range(11)))
    summary = summarize_trace(trace)
    assert (summary.rate_rps, summary.cv, summary.duration_s) == (1.0, 0.0, 10.0)
    assert (summary.input_tokens.mean, summary.input_tokens.p50, summary.input_tokens.p95) == (6, 6, 10.5)
    assert summary.offered.input_tok_s == 6
    assert summary.offered.input_tok_s_peak_10s == 5.5


def test_that_poisson_arrivals_have_dispersion_and_variation_of_one():
    summary = summarize_trace(with_arrivals(synthetic_trace(8, 2, 50_000), "poisson", rate=20))
    assert summary.cv == pytest.approx(1, rel=0.03)
    assert summary.iod_1s == pytest.approx(1, rel=0.05)
    assert summary.iod_10s == pytest.approx(1, rel=0.2)


def test_that_one_row_or_one_time_has_no_rate_and_unknown_is_none():
    summary = summarize_trace(trace_of(row(0)))
    assert (summary.rate_rps, summary.cv, summary.iod_1s, summary.prefix_hit_ideal) == (
        None,
        None,
        None,
        None,
    )
    assert summary.turns_max is None
    assert summary.offered.input_tok_s is None


def test_that_bursts_show_in_the_dispersion():
    burst = trace_of(*(row(1000 * (i // 20)) for i in range(400)), row(60_000))
    assert summarize_trace(burst).iod_1s > 10
    assert summarize_trace(burst).offered.requests_peak_1s == 20


def test_that_classes_add_up():
    trace = trace_of(row(0, cls="a"), row(10, cls="b", input_length=80), row(20, cls="a"))
    classes = summarize_trace(trace).classes
    assert {name: (c.requests, c.input_tokens.max) for name, c in classes.items()} == {
        "a": (2, 40),
        "b": (1, 80),
    }
    assert sum(c.share for c in classes.values()) == 1


def test_that_cancellations_of_both_kinds_count():
    trace = trace_of(row(0, cancel_after_tokens=1), row(1, cancel_after_ms=5.0), row(2), row(3))
    assert summarize_trace(trace).cancelled_share == 0.5


PREFIXES = trace_of(
    row(0, 40, (1, 2, 3, 4)),
    row(1, 40, (1, 2, 9, 10)),
    row(2, 35, (1, 2, 9, 10)),
    row(3, 40),
    row(4, 40, (7, 2, 9, 10)),
)


def test_that_prefix_hits_are_leading_blocks_seen_before():
    assert ideal_hit_tokens(PREFIXES).tolist() == [0, 20, 35, 0, 0]
    assert summarize_trace(PREFIXES).prefix_hit_ideal == pytest.approx(55 / 195)


def test_that_a_pool_forgets_the_least_recently_used_block_last_one_first():
    assert pool_hit_tokens(PREFIXES, 10_000).tolist() == [0, 20, 35, 0, 0]
    assert pool_hit_tokens(PREFIXES, 0).tolist() == [0, 0, 0, 0, 0]
    assert pool_hit_tokens(PREFIXES, 40).tolist() == [0, 20, 35, 0, 0]
    small = trace_of(row(0, 20, (1, 2)), row(1, 10, (3,)), row(2, 20, (1, 2)))
    assert pool_hit_tokens(small, 20).tolist() == [0, 0, 10]


prompts = st.lists(st.lists(st.integers(0, 6), max_size=5), min_size=1, max_size=12)


@given(prompts)
def test_that_the_fast_ideal_equals_the_plain_walk(listed):
    trace = trace_of(*(row(i, max(1, 10 * len(ids)), tuple(ids) or None) for i, ids in enumerate(listed)))
    seen: set[int] = set()
    expected = []
    for ids in listed:
        run = next((i for i, block in enumerate(ids) if block not in seen), len(ids))
        expected.append(10 * run)
        seen |= set(ids)
    hits = ideal_hit_tokens(trace)
    assert (hits.tolist() if hits is not None else [0] * len(listed)) == expected


def test_that_a_larger_pool_never_hits_less_and_the_largest_hits_as_the_ideal(shared):
    trace = import_trace(shared("traces/mooncake_conversation.first700.jsonl")).trace
    drawn = trace_curves(trace, pools=6)
    assert np.all(np.diff(drawn.pool_hit_share) >= 0)
    assert drawn.pool_hit_share[-1] == pytest.approx(drawn.ideal_hit_share)


def test_that_the_drawing_adds_up_to_the_trace():
    trace = trace_of(*(row(700 * i, input_length=3 + 50 * i, cls="ab"[i % 2]) for i in range(2000)))
    drawn = trace_curves(trace)
    assert sum(series.sum() for series in drawn.arrivals_rps.values()) * drawn.bin_s == pytest.approx(2000)
    assert sum(counts.sum() for counts in drawn.input_counts.values()) == 2000
    assert drawn.joint.sum() == 2000
    assert drawn.input_tok_s.sum() * drawn.bin_s == pytest.approx(trace.input_length.sum())
    assert len(drawn.begin_s) <= 600
    assert len(drawn.pool_tokens) == 0


def test_that_source_latencies_are_summarised_apart(shared):
    latency = summarize_latency(import_trace(shared("measured/RTX4090_Llama-3.1-8B.requests.jsonl")).latency)
    assert latency.ttft_p50_ms < latency.ttft_p95_ms < latency.e2e_p95_ms
    assert summarize_latency(None) is None


@pytest.mark.parametrize(
    ("file", "cv", "iod_1s", "hit"),
    [
        ("azure2023_code.first3000.csv", 14.58, 16.71, None),
        ("azure2023_conv.first1500.csv", 1.187, 1.303, None),
        ("mooncake_conversation.first700.jsonl", 2.822, 7.001, 0.1868),
    ],
)
def test_that_the_statistics_of_the_shared_slices_are_pinned(shared, file, cv, iod_1s, hit):
    summary = summarize_trace(import_trace(shared(f"traces/{file}")).trace)
    assert summary.cv == pytest.approx(cv, rel=1e-3)
    assert summary.iod_1s == pytest.approx(iod_1s, rel=1e-3)
    assert summary.prefix_hit_ideal == (None if hit is None else pytest.approx(hit, rel=1e-3))


def test_that_only_whole_windows_count_in_the_dispersion():
    trace = with_arrivals(synthetic_trace(8, 2, 364), "poisson", rate=7)
    cut = trace.select(np.flatnonzero(trace.timestamp_ms < 51_800))
    counts = np.histogram(cut.timestamp_ms / 1000, np.arange(0, 51, 10))[0]
    assert 50 < cut.timestamp_ms[-1] / 1000 < 60
    assert summarize_trace(cut).iod_10s == pytest.approx(counts.var() / counts.mean())
    assert summarize_trace(cut).iod_10s < 3


def test_that_the_dispersion_is_unknown_below_two_whole_windows():
    evenly = summarize_trace(trace_of(*(row(500 * i) for i in range(40))))
    assert (evenly.iod_1s, evenly.iod_10s) == (0, None)
    assert summarize_trace(trace_of(*(row(500 * i) for i in range(41)))).iod_10s == 0
