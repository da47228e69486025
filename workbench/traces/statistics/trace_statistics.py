"""Statistics of a trace, as `trace inspect` prints them."""

import numpy as np

from workbench.base import Record
from workbench.traces.columns import Bools, Floats, Ints
from workbench.traces.io.import_report import SourceLatency
from workbench.traces.statistics.prefix_reuse import ideal_hit_tokens
from workbench.traces.trace import Trace

MAX_BINS = 50_000_000
"""A trace over years in bins of a second would not fit the memory."""


class Lengths(Record, frozen=True):
    """Token counts of the requests; percentiles by linear interpolation."""

    mean: float
    p50: float
    p95: float
    max: int


class ClassSummary(Record, frozen=True):
    """One class of requests."""

    requests: int
    share: float
    rate_rps: float | None
    input_tokens: Lengths
    output_tokens: Lengths
    prefix_hit_ideal: float | None


class Offered(Record, frozen=True):
    """Tokens per second that the trace offers at its own times.

    Peaks are the busiest second and ten seconds.
    """

    input_tok_s: float | None
    output_tok_s: float | None
    input_tok_s_peak_1s: float
    input_tok_s_peak_10s: float
    output_tok_s_peak_1s: float
    output_tok_s_peak_10s: float
    requests_peak_1s: int


class LatencySummary(Record, frozen=True):
    """Latencies that the source measured on its own service; never compared with ours."""

    ttft_p50_ms: float | None
    ttft_p95_ms: float | None
    e2e_p50_ms: float | None
    e2e_p95_ms: float | None


class TraceSummary(Record, frozen=True):
    """All statistics of a trace. Unknown is None."""

    rows: int
    duration_s: float
    """Time from the first arrival to the last."""
    rate_rps: float | None
    cv: float | None
    """Standard deviation divided by mean of the gaps between arrivals."""
    iod_1s: float | None
    iod_10s: float | None
    """Index of dispersion: variance over mean of arrivals in whole bins of that many seconds.

    1 for Poisson; None below two whole bins.
    """
    input_tokens: Lengths
    output_tokens: Lengths
    prefix_hit_ideal: float | None
    """Share of prompt tokens in leading blocks of earlier requests, with an infinite cache."""
    sessions: int
    turns_max: int | None
    cancelled_share: float
    offered: Offered
    classes: dict[str, ClassSummary]


def summarize_trace(trace: Trace) -> TraceSummary:
    """Compute the statistics of a trace of at least one row."""
    times_s = trace.timestamp_ms / 1000
    hits = ideal_hit_tokens(trace)
    everything = np.ones(len(trace), np.bool_)
    return TraceSummary(
        rows=len(trace),
        duration_s=float(times_s[-1]),
        rate_rps=_rate(times_s),
        cv=_cv(times_s),
        iod_1s=_dispersion(times_s, 1.0),
        iod_10s=_dispersion(times_s, 10.0),
        input_tokens=lengths(trace.input_length),
        output_tokens=lengths(trace.output_length),
        prefix_hit_ideal=_hit_share(trace, hits, everything),
        sessions=0 if trace.sessions is None else len(trace.sessions.names),
        turns_max=None if trace.turn is None else int(trace.turn.max()) + 1,
        cancelled_share=_cancelled(trace),
        offered=_offered(trace, times_s),
        classes=_classes(trace, times_s, hits),
    )


def summarize_latency(latency: SourceLatency | None) -> LatencySummary | None:
    """Compute percentiles of the source's own latencies, None if it measured none."""
    if latency is None:
        return None
    return LatencySummary(
        ttft_p50_ms=_percentile(latency.ttft_ms, 50),
        ttft_p95_ms=_percentile(latency.ttft_ms, 95),
        e2e_p50_ms=_percentile(latency.e2e_ms, 50),
        e2e_p95_ms=_percentile(latency.e2e_ms, 95),
    )


def lengths(tokens: Ints) -> Lengths:
    """Compute mean, percentiles and maximum of at least one count."""
    p50, p95 = np.percentile(tokens, [50, 95])
    return Lengths(mean=float(tokens.mean()), p50=float(p50), p95=float(p95), max=int(tokens.max()))


def arrivals_per_bin(times_s: Floats, bin_s: float, weights: Ints | None = None) -> Floats:
    """Return the arrivals (or their `weights`) in each bin from 0 to the last arrival's."""
    bins = np.floor(times_s / bin_s).astype(np.int64)
    return np.bincount(bins, weights=weights).astype(np.float64)


def _rate(times_s: Floats) -> float | None:
    span = float(times_s[-1] - times_s[0])
    return (len(times_s) - 1) / span if span > 0 else None


def _cv(times_s: Floats) -> float | None:
    gaps = np.diff(times_s)
    return float(gaps.std() / gaps.mean()) if len(gaps) > 1 and gaps.mean() > 0 else None


def _dispersion(times_s: Floats, bin_s: float) -> float | None:
    # Leave out the bin of the last arrival: it is cut short and would look like a lull.
    whole = int(times_s[-1] / bin_s)
    if not 2 <= whole <= MAX_BINS:
        return None
    counts = arrivals_per_bin(times_s, bin_s)[:whole]
    return float(counts.var() / counts.mean())


def _percentile(values: Floats, percent: float) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.percentile(known, percent)) if len(known) else None


def _hit_share(trace: Trace, hits: Ints | None, rows: Bools) -> float | None:
    return None if hits is None else float(hits[rows].sum() / trace.input_length[rows].sum())


def _cancelled(trace: Trace) -> float:
    by_tokens = trace.cancel_after_tokens is not None and trace.cancel_after_tokens >= 0
    by_time = trace.cancel_after_ms is not None and ~np.isnan(trace.cancel_after_ms)
    return float(np.mean(np.logical_or(by_tokens, by_time)))


def _offered(trace: Trace, times_s: Floats) -> Offered:
    rate = _rate(times_s)
    peaks = {}
    for name, tokens in (("input", trace.input_length), ("output", trace.output_length)):
        for bin_s in (1, 10):
            per_bin = _sparse_peak(times_s, bin_s, tokens)
            peaks[f"{name}_tok_s_peak_{bin_s}s"] = per_bin / bin_s
    return Offered(
        input_tok_s=None if rate is None else rate * float(trace.input_length.mean()),
        output_tok_s=None if rate is None else rate * float(trace.output_length.mean()),
        requests_peak_1s=int(_sparse_peak(times_s, 1, np.ones(len(trace), np.int64))),
        **peaks,
    )


def _sparse_peak(times_s: Floats, bin_s: float, weights: Ints) -> float:
    """Return the largest bin; times rise, so each bin is one run of rows."""
    bins = np.floor(times_s / bin_s)
    begins = np.flatnonzero(np.diff(bins, prepend=-1))
    return float(np.add.reduceat(weights, begins).max())


def _classes(trace: Trace, times_s: Floats, hits: Ints | None) -> dict[str, ClassSummary]:
    summaries = {}
    for code, name in enumerate(trace.classes.names):
        rows = trace.classes.codes == code
        summaries[name] = ClassSummary(
            requests=int(rows.sum()),
            share=float(rows.mean()),
            rate_rps=_rate(times_s[rows]),
            input_tokens=lengths(trace.input_length[rows]),
            output_tokens=lengths(trace.output_length[rows]),
            prefix_hit_ideal=_hit_share(trace, hits, rows),
        )
    return summaries
