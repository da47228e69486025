"""Data for a preview of a trace: series, histograms, a joint plot and a curve of prefix reuse."""

from dataclasses import dataclass

import numpy as np

from workbench.traces.columns import Floats, Ints
from workbench.traces.statistics.prefix_reuse import ideal_hit_tokens, pool_hit_tokens
from workbench.traces.statistics.trace_statistics import arrivals_per_bin
from workbench.traces.trace import Trace

MOST_BINS = 600
"""About one bin a pixel of a small plot."""


@dataclass(frozen=True, kw_only=True)
class TraceCurves:
    """Arrays ready to plot; all series share `begin_s`, all histograms of lengths share `edges`."""

    bin_s: float
    begin_s: Floats
    """Beginning of each time bin, n."""
    arrivals_rps: dict[str, Floats]
    """Arrivals by class, n each; stack them for the total."""
    input_tok_s: Floats
    output_tok_s: Floats
    edges: Floats
    """Edges of the bins of lengths, powers of the square root of 2 in tokens, m + 1."""
    input_counts: dict[str, Ints]
    output_counts: dict[str, Ints]
    """Counts by class, m each."""
    joint: Ints
    """Requests by input (rows) and output (columns), m x m."""
    pool_tokens: Ints
    pool_hit_share: Floats
    """Prefix hits by size of the cache; empty without block ids."""
    ideal_hit_share: float | None


def trace_curves(trace: Trace, *, pools: int = 0) -> TraceCurves:
    """Compute the data of a preview; `pools`: number of cache sizes to simulate, each over all ids."""
    times_s = trace.timestamp_ms / 1000
    bin_s = _bin_width(float(times_s[-1]))
    total = len(arrivals_per_bin(times_s, bin_s))
    edges = 2.0 ** np.arange(0, 2 * np.log2(_longest(trace)) // 1 / 2 + 1, 0.5)
    names = trace.classes.names
    of_class = {name: trace.classes.codes == code for code, name in enumerate(names)}
    sizes, shares = _pool_curve(trace, pools)
    hits = ideal_hit_tokens(trace)
    return TraceCurves(
        bin_s=bin_s,
        begin_s=np.arange(total, dtype=np.float64) * bin_s,
        arrivals_rps={name: _series(times_s[rows], bin_s, total) / bin_s for name, rows in of_class.items()},
        input_tok_s=_series(times_s, bin_s, total, trace.input_length) / bin_s,
        output_tok_s=_series(times_s, bin_s, total, trace.output_length) / bin_s,
        edges=edges,
        input_counts={
            name: np.histogram(trace.input_length[rows], edges)[0] for name, rows in of_class.items()
        },
        output_counts={
            name: np.histogram(trace.output_length[rows], edges)[0] for name, rows in of_class.items()
        },
        joint=np.histogram2d(trace.input_length, trace.output_length, (edges, edges))[0].astype(np.int64),
        pool_tokens=sizes,
        pool_hit_share=shares,
        ideal_hit_share=None if hits is None else float(hits.sum() / trace.input_length.sum()),
    )


def _longest(trace: Trace) -> float:
    return 2.0 * max(2, int(trace.input_length.max()), int(trace.output_length.max()))


def _bin_width(duration_s: float) -> float:
    """Return a round width of at least 1 s with no more than `MOST_BINS` bins."""
    widths = [unit * 10.0**power for power in range(12) for unit in (1, 2, 5)]
    return next(width for width in widths if duration_s / width < MOST_BINS)


def _series(times_s: Floats, bin_s: float, total: int, weights: Ints | None = None) -> Floats:
    counts = arrivals_per_bin(times_s, bin_s, weights) if len(times_s) else np.zeros(0)
    return np.pad(counts, (0, total - len(counts)))


def _pool_curve(trace: Trace, pools: int) -> tuple[Ints, Floats]:
    if trace.hash_offsets is None or pools < 1:
        return np.zeros(0, np.int64), np.zeros(0)
    block = trace.header.block_tokens
    distinct = len(np.unique(trace.hash_flat)) * block
    sizes = np.unique(np.geomspace(max(block, distinct / 1024), distinct, pools).astype(np.int64))
    hits = [pool_hit_tokens(trace, int(size)) for size in sizes]
    total = trace.input_length.sum()
    return sizes, np.array([0.0 if hit is None else hit.sum() / total for hit in hits])
