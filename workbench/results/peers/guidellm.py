"""GuideLLM's JSON report: a list of benchmarks, one for each load (report schema 1 and 2, and before 0.4)."""

import contextlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from workbench.base import Message, Place, Refusal, message
from workbench.results.objectives import Objectives
from workbench.results.peers.peer_run import PeerCounts, PeerRun, ResultFields, stated_distribution
from workbench.results.percentiles import Distribution, distribution

TOOL = "GuideLLM"
_STATED = {
    "ttft_ms": ("time_to_first_token_ms", 1.0),
    "tpot_ms": ("inter_token_latency_ms", 1.0),
    "e2e_ms": ("request_latency", 1e3),
}
"""Our series, its name for it, and the factor to milliseconds. Its ITL is a request's mean: our TPOT."""
_DIFFERS = (
    message("peers.itl_is_a_mean"),
    message("peers.tpot_with_ttft"),
    message("peers.overlapping_count"),
    message("peers.wall_stamps"),
)
_ENDS = {
    "ttft_ms": ("first_token_iteration", "first_token_time"),
    "e2e_ms": ("request_end", "end_time"),
}
"""The stamps that end a series, by the names of 0.4 and later and of earlier versions."""


def matches(content: Mapping[str, Any]) -> bool:
    """Return whether it is a list of benchmarks, with metrics since 0.2."""
    benchmarks = content.get("benchmarks")
    known = ("metrics", "benchmarks", "results", "request_results")
    return isinstance(benchmarks, list) and any(
        isinstance(each, Mapping) and any(name in each for name in known) for each in benchmarks
    )


def runs(content: Mapping[str, Any], where: str, objectives: Objectives) -> list[PeerRun]:
    """Return a run for each benchmark.

    Raises:
        Refusal: a field of another kind, or one that all results have is missing.
    """
    del objectives
    fields = ResultFields(content, where)
    if not any("metrics" in each.content for each in fields.each("benchmarks")):
        raise Refusal("peers.guidellm_too_old", Place(file=where))
    version = fields.inner("metadata").text("guidellm_version")
    return [_run(benchmark, version) for benchmark in fields.each("benchmarks")]


def _run(fields: ResultFields, version: str | None) -> PeerRun:
    metrics = fields.inner("metrics")
    counts, older = _counts(fields)
    strategy = _strategy(fields)
    series, negative = _series(metrics, counts.completed)
    from_due = _from_due(fields)
    delay = _delay(fields, counts.completed)
    series |= from_due | ({} if delay is None else {"client_delay_ms": delay})
    return PeerRun(
        tool=TOOL,
        version=version or ("before 0.4" if older else None),
        model=_model(fields),
        label=strategy.text("type_"),
        started_utc=_utc(fields.number("start_time") or fields.inner("run_stats").number("start_time")),
        rate=strategy.number("rate"),
        concurrency=_concurrency(strategy),
        counts=counts,
        duration_s=_duration(fields),
        completed_rps=metrics.inner("requests_per_second", "successful").number("mean"),
        output_tok_s=metrics.inner("output_tokens_per_second", "successful").number("mean"),
        input_tok_s=metrics.inner("prompt_tokens_per_second", "successful").number("mean"),
        series=series,
        differs=[
            message("peers.again_from_due") if from_due else message("peers.from_the_send"),
            *(message("peers.negative_left_out", name=name) for name in negative),
            *_definitions(older=older),
        ],
    )


def _definitions(*, older: bool) -> list[Message]:
    """Return how its definitions differ from ours; before 0.4 its counts were the whole run's."""
    if not older:
        return list(_DIFFERS)
    return [_DIFFERS[0], message("peers.counts_of_the_whole_run"), _DIFFERS[-1]]


def _counts(fields: ResultFields) -> tuple[PeerCounts, bool]:
    """Return the requests by outcome, and whether the report is older than 0.4."""
    totals = fields.inner("metrics", "request_totals")
    older = not totals.content and bool(fields.inner("run_stats").content)
    if older:
        totals = _made(fields.inner("run_stats"))
    completed = totals.needed_count("successful")
    counts = PeerCounts(
        scheduled=totals.needed_count("total"),
        completed=completed,
        failed=totals.count("errored"),
        unfinished=totals.count("incomplete"),
    )
    return counts, older


def _made(run: ResultFields) -> ResultFields:
    """Return the counts of 0.3, or those of 0.2 under the names of 0.3."""
    made = run.inner("requests_made")
    if made.content:
        return made
    older = {"total": "total", **{name: f"total_{name}" for name in ("successful", "errored", "incomplete")}}
    return ResultFields({name: run.content.get(own) for name, own in older.items()}, run.where)


def _series(metrics: ResultFields, completed: int) -> tuple[dict[str, Distribution], list[str]]:
    """Return our series, and the names of those left out for times below 0."""
    found, negative = {}, []
    for name, (own, unit) in _STATED.items():
        fields = metrics.inner(own, "successful")
        if _is_negative(fields):
            negative.append(own)
        elif (stated_one := _stated(fields, unit, completed)) is not None:
            found[name] = stated_one
    return found, negative


def _is_negative(fields: ResultFields) -> bool:
    """Return whether a time is below 0, as in older reports without a first token."""
    values = [*fields.content.values(), *fields.inner("percentiles").content.values()]
    return any(isinstance(value, int | float) and value < 0 for value in values)


def _model(fields: ResultFields) -> str | None:
    return fields.inner("config", "backend").text("model") or fields.inner("worker").text("backend_model")


def _duration(fields: ResultFields) -> float | None:
    """Return the seconds of the measured window; older reports keep only the run's two ends."""
    stated_one = fields.number("duration")
    ends = fields.inner("run_stats")
    begin, end = ends.number("start_time"), ends.number("end_time")
    if stated_one is not None or begin is None or end is None or end <= begin:
        return stated_one
    return end - begin


def _delay(fields: ResultFields, completed: int) -> Distribution | None:
    """Return how late requests were sent; None: -1, not measured."""
    older = fields.inner("run_stats").content.get("request_start_time_targeted_delay_avg")
    newer = fields.inner("scheduler_metrics").content.get("request_targeted_start_delay_avg")
    given = older if newer is None else newer
    if not isinstance(given, int | float) or given < 0:
        return None
    delay = ResultFields({"delay": given}, fields.where).number("delay", unit=1e3)
    return Distribution(n=completed, mean=delay)


def _strategy(fields: ResultFields) -> ResultFields:
    """Return the strategy of the load; older reports keep it in `scheduler` or `args`."""
    for path in (("config", "strategy"), ("scheduler", "strategy"), ("args", "strategy")):
        found = fields.inner(*path)
        if found.content:
            return found
    return ResultFields({}, fields.where)


def _concurrency(strategy: ResultFields) -> int | None:
    """Return the streams of a closed loop; the cap of an open one is no concurrency asked for."""
    if strategy.number("rate") is not None:
        return None
    return strategy.count("streams") or strategy.count("max_concurrency")


def _stated(fields: ResultFields, unit: float, completed: int) -> Distribution | None:
    if not fields.content or not fields.number("max"):
        return None  # it stores 0 for what it did not measure
    percentiles = fields.inner("percentiles")
    figures = {
        "mean": fields.number("mean", unit=unit),
        "max": fields.number("max", unit=unit),
        **{name: percentiles.number(name, unit=unit) for name in ("p50", "p90", "p95", "p99")},
    }
    # The count of means weighted by tokens is a number of tokens.
    count = fields.count("count")
    n = completed if count is None else min(count, completed)
    return stated_distribution(n, figures) if n else None


def _from_due(fields: ResultFields) -> dict[str, Distribution]:
    """Return the series from each request's due time, if the report keeps all requests and their stamps."""
    successful = fields.inner("requests").each("successful")
    found = {
        name: [value for each in successful for value in _waited(each, *ends)] for name, ends in _ENDS.items()
    }
    counts, _ = _counts(fields)
    known = counts.completed
    return {
        name: distribution(np.array(values)) for name, values in found.items() if len(values) == known != 0
    }


def _waited(request: ResultFields, end: str, older_end: str) -> Iterator[float]:
    """Yield the milliseconds from due to the stamp, if both are there."""
    stamps = request.inner("info", "timings")
    older = request.inner("scheduler_info")
    due_given = stamps.content.get("targeted_start", older.content.get("targeted_start_time"))
    if due_given is None or _before_1970(due_given):
        return
    due = ResultFields({"due": due_given}, request.where).number("due")
    ended = stamps.number(end) if stamps.content else request.number(older_end)
    if due is not None and ended is not None and ended > 0:
        yield (ended - due) * 1e3


def _before_1970(stamp: Any) -> bool:
    """Return whether a stamp is none: GuideLLM writes -0.99 for some starts when it can't keep the rate."""
    return isinstance(stamp, int | float) and stamp < 0


def _utc(seconds: float | None) -> str | None:
    with contextlib.suppress(OverflowError, ValueError, OSError):
        if seconds is not None and seconds > 0:
            return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    return None
