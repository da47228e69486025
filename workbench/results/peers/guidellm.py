"""GuideLLM's JSON report: a list of benchmarks, one for each load (report schema 1 and 2)."""

import contextlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from workbench.results.peers.fields import Fields
from workbench.results.peers.peer_run import PeerCounts, PeerRun, stated
from workbench.results.percentiles import Distribution, distribution

TOOL = "GuideLLM"
_STATED = {
    "ttft_ms": ("time_to_first_token_ms", 1.0),
    "tpot_ms": ("inter_token_latency_ms", 1.0),
    "e2e_ms": ("request_latency", 1e3),
}
"""Our series, its name for it, and the factor to milliseconds. Its ITL is a request's mean: our TPOT."""
_DIFFERS = (
    "its inter_token_latency is a request's mean gap, here tpot_ms",
    "its time_per_output_token holds TTFT and is left out",
    "a request that merely overlaps its measured window counts",
    "stamps are wall time, which a clock correction moves",
)
_FROM_SEND = "TTFT and E2E count from the send, not from due"
_FROM_DUE = "it counts TTFT and E2E from the send; here they were computed again from due, by its stamps"
_ENDS = {"ttft_ms": "first_token_iteration", "e2e_ms": "request_end"}


def matches(content: Mapping[str, Any]) -> bool:
    """A list of benchmarks with metrics."""
    benchmarks = content.get("benchmarks")
    return isinstance(benchmarks, list) and any(
        isinstance(each, Mapping) and "metrics" in each for each in benchmarks
    )


def runs(content: Mapping[str, Any], where: str) -> list[PeerRun]:
    """A run for each benchmark.

    Raises:
        InputError: a field of another kind, or one that all results have is missing.
    """
    fields = Fields(content, where)
    version = fields.inner("metadata").text("guidellm_version")
    return [_run(benchmark, version) for benchmark in fields.each("benchmarks")]


def _run(fields: Fields, version: str | None) -> PeerRun:
    metrics = fields.inner("metrics")
    totals = metrics.inner("request_totals")
    completed = totals.needed_count("successful")
    strategy = _strategy(fields)
    series = {name: _stated(metrics, *own, completed) for name, own in _STATED.items()}
    from_due = _from_due(fields)
    delay = fields.inner("scheduler_metrics").number("request_targeted_start_delay_avg", unit=1e3)
    series |= from_due
    if delay is not None and delay >= 0:  # -1: not measured
        series["client_delay_ms"] = Distribution(n=completed, mean=delay)
    return PeerRun(
        tool=TOOL,
        version=version,
        model=fields.inner("config", "backend").text("model"),
        label=strategy.text("type_"),
        started_utc=_utc(fields.number("start_time")),
        rate=strategy.number("rate"),
        concurrency=_concurrency(strategy),
        counts=PeerCounts(
            scheduled=totals.needed_count("total"),
            completed=completed,
            failed=totals.count("errored"),
            unfinished=totals.count("incomplete"),
        ),
        duration_s=fields.number("duration"),
        completed_rps=metrics.inner("requests_per_second", "successful").number("mean"),
        output_tok_s=metrics.inner("output_tokens_per_second", "successful").number("mean"),
        input_tok_s=metrics.inner("prompt_tokens_per_second", "successful").number("mean"),
        series={name: found for name, found in series.items() if found is not None},
        differs=[_FROM_DUE if from_due else _FROM_SEND, *_DIFFERS],
    )


def _strategy(fields: Fields) -> Fields:
    """How the load was applied; older reports keep it in `scheduler` or `args`."""
    for path in (("config", "strategy"), ("scheduler", "strategy"), ("args", "strategy")):
        found = fields.inner(*path)
        if found.content:
            return found
    return Fields({}, fields.where)


def _concurrency(strategy: Fields) -> int | None:
    """Streams of a closed loop; the cap of an open one is no concurrency asked for."""
    if strategy.number("rate") is not None:
        return None
    return strategy.count("streams") or strategy.count("max_concurrency")


def _stated(metrics: Fields, own: str, unit: float, completed: int) -> Distribution | None:
    fields = metrics.inner(own, "successful")
    if not fields.content or not fields.number("max"):
        return None  # it stores 0 for what it did not measure
    percentiles = fields.inner("percentiles")
    figures = {
        "mean": fields.number("mean", unit=unit),
        "max": fields.number("max", unit=unit),
        **{name: percentiles.number(name, unit=unit) for name in ("p50", "p90", "p95", "p99")},
    }
    # Of means weighted by tokens the count is one of tokens.
    return stated(min(fields.count("count") or 0, completed), figures)


def _from_due(fields: Fields) -> dict[str, Distribution]:
    """From each request's `targeted_start`, where the report keeps all requests and their stamps."""
    successful = fields.inner("requests").each("successful")
    found = {
        name: [value for each in successful for value in _waited(each, end)] for name, end in _ENDS.items()
    }
    known = fields.inner("metrics", "request_totals").count("successful")
    return {
        name: distribution(np.array(values)) for name, values in found.items() if len(values) == known != 0
    }


def _waited(request: Fields, end: str) -> Iterator[float]:
    """Milliseconds from due to the stamp `end`, if both are there."""
    stamps = request.inner("info", "timings")
    if _before_1970(stamps.content.get("targeted_start")):
        return
    due, ended = stamps.number("targeted_start"), stamps.number(end)
    if due is not None and ended is not None:
        yield (ended - due) * 1e3


def _before_1970(stamp: Any) -> bool:
    """Whether a stamp is none: GuideLLM writes -0.99 for some starts where it can't keep the rate."""
    return isinstance(stamp, int | float) and stamp < 0


def _utc(seconds: float | None) -> str | None:
    with contextlib.suppress(OverflowError, ValueError, OSError):
        if seconds is not None and seconds > 0:
            return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    return None
