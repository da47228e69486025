"""The scorecard's first columns, in the order that docs/explanation/figures.md fixes."""

from collections.abc import Callable
from typing import Any

from workbench.results.bench.stored_figures import StoredDistribution, StoredFigures
from workbench.results.scorecard.column import (
    Column,
    Combine,
    RunFacts,
    all_true,
    any_true,
    fact,
    figure,
    largest,
    mean,
    row_name,
    shared,
    smallest,
    total,
)

LOAD = "load generator"
METRICS = "server's /metrics"
QUEUE = "server, as queue_source says"

_LATENCIES: dict[str, tuple[str, Callable[[StoredFigures], StoredDistribution]]] = {
    "ttft": ("first token - due, all requests with a first token", lambda run: run.ttft_ms),
    "e2e": ("done - due, completed requests", lambda run: run.e2e_ms),
    "itl": (
        "gap between tokens, pooled over tokens; an event of k tokens counts as k gaps of its kth part",
        lambda run: run.itl_ms,
    ),
    "tpot": ("(last token - first token) / (tokens - 1), completed requests", lambda run: run.tpot_ms),
}
"""Each latency's definition and its series."""


def measured(
    name: str,
    unit: str,
    definition: str,
    read: Callable[[StoredFigures], Any],
    source: str = LOAD,
    combine: Combine = mean,
) -> Column:
    """Make a column of a figure of the run."""
    return Column(name, unit, definition, source, figure(read), combine)


def latency(kind: str, quantile: str) -> Column:
    """Make a column of a percentile of a latency."""
    definition, series = _LATENCIES[kind]
    return measured(
        f"{kind}_{quantile}_ms",
        "ms",
        f"{quantile} of {definition}",
        lambda run: series(run).quantile(quantile),
    )


def _reasons(run: RunFacts) -> str | None:
    return "; ".join(run.figures.reasons or []) or None


FIRST_COLUMNS = [
    Column("run", "", "configuration and rate", "experiment", lambda run: row_name(run.run), shared),
    measured(
        "offered_rps",
        "req/s",
        "requests due in the measured window / its length",
        lambda run: run.offered_rps,
    ),
    measured(
        "completed_rps",
        "req/s",
        "completed in the measured window / its length",
        lambda run: run.completed_rps,
    ),
    latency("ttft", "p95"),
    measured(
        "queue_p95_ms",
        "ms",
        "p95 of the time to the first scheduling; empty from a histogram",
        lambda run: run.queue_ms.p95,
        QUEUE,
    ),
    latency("e2e", "p95"),
    measured(
        "error_rate",
        "0..1",
        "(failed + rejected + timed out + unfinished) / (scheduled - cancelled)",
        lambda run: run.error_rate,
    ),
    measured(
        "preemptions", "", "preemptions over the run, mean over repeats", lambda run: run.preemptions, METRICS
    ),
    measured(
        "queue_p95_lo_ms",
        "ms",
        "lower end of the bucket with the p95",
        lambda run: run.queue_ms.lo,
        QUEUE,
        smallest,
    ),
    measured(
        "queue_p95_hi_ms",
        "ms",
        "upper end of that bucket; empty while the lower is not: beyond the last bucket",
        lambda run: run.queue_ms.hi,
        QUEUE,
        largest,
    ),
    measured(
        "queue_source",
        "",
        "per_request, recorder, stat_logger or histogram",
        lambda run: run.queue_ms.source,
        "server",
        shared,
    ),
    latency("ttft", "p50"),
    latency("itl", "p95"),
    measured(
        "output_tok_s",
        "tokens/s",
        "output tokens of requests that completed in the window / its length",
        lambda run: run.output_tok_s,
    ),
    measured(
        "accepted_rps",
        "req/s",
        "accepted (see acceptance_rule) in the window / its length",
        lambda run: run.accepted_rps,
    ),
    measured("rejected_rate", "0..1", "rejected / (scheduled - cancelled)", lambda run: run.rejected_rate),
    Column(
        "gpu_mem_peak_gib",
        "GiB",
        "high-water mark of GPU memory, by whomever, of the server's fullest GPU",
        "GPU sampler",
        fact("gpu_mem_peak_gib"),
        largest,
    ),
    measured(
        "kv_peak",
        "0..1",
        "largest KV-cache usage of the fullest engine",
        lambda run: run.kv_peak,
        METRICS,
        largest,
    ),
    measured(
        "requeue_wait_p95_ms",
        "ms",
        "p95 of waiting again, over requests that were preempted; 72 of them at least",
        lambda run: run.requeue_wait_ms.p95,
        "the embedded engine's per-request metrics, or the step record",
    ),
    Column(
        "control",
        "",
        "control under test; empty for the baseline",
        "experiment",
        lambda run: run.run.control,
        shared,
    ),
    Column("value", "", "its value in this row", "experiment", lambda run: run.run.value, shared),
    measured(
        "valid", "", "whether the figures can be trusted; all repeats", lambda run: run.valid, "all", all_true
    ),
    Column("reasons", "", "why not, each with its figure", "all", _reasons, shared),
    measured(
        "diverging",
        "",
        "TTFT climbs as the run goes on, so percentiles depend on its length; any repeat",
        lambda run: run.diverging,
        LOAD,
        any_true,
    ),
    Column(
        "simulated",
        "",
        "the server is the embedded engine",
        "server",
        lambda run: run.run.simulated,
        shared,
    ),
    Column(
        "profile",
        "",
        "step-time profile of a simulated server",
        "server",
        lambda run: run.run.profile,
        shared,
    ),
    Column("n", "", "repeats behind the row", "experiment", lambda _run: 1, total),
]
