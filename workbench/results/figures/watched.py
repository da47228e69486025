"""Figures of a server watched under its own traffic, from its metrics alone."""

from collections.abc import Sequence
from typing import Any

import msgspec

from workbench.base import Message, Record
from workbench.results.figures.blank_summary import blank_summary
from workbench.results.figures.queue_time import histogram_queue_figures
from workbench.results.figures.run_frame import Conditions, RunIdentity
from workbench.results.figures.scrapes import Scrapes
from workbench.results.figures.server_figures import MeasuredSpan, server_figures, server_notes
from workbench.results.histogram import Histogram
from workbench.results.run_records import Sample, ServerDelta
from workbench.vllm_dialect import Metric, metrics


class ServerTimes(Record, frozen=True, kw_only=True):
    """One latency by the server's own histogram, in milliseconds; a percentile lies within two bounds."""

    n: int
    mean: float | None
    p50: tuple[float, float | None] | None
    """Bounds; an upper bound of None lies beyond the last bucket."""
    p95: tuple[float, float | None] | None


class WatchedFigures(Record, frozen=True, kw_only=True):
    """The server's own figures over the time it was watched; None is unknown."""

    seconds: float
    """Simulated seconds if the server is simulated, as all times here."""
    requests_per_s: float | None
    """Finished requests of all reasons."""
    rejected_per_s: float | None
    input_tok_s: float | None
    output_tok_s: float | None
    running_mean: float | None
    running_max: float | None
    waiting_mean: float | None
    waiting_max: float | None
    kv_mean: float | None
    kv_peak: float | None
    preemptions: float | None
    prefix_hit: float | None
    ttft_ms: ServerTimes | None
    itl_ms: ServerTimes | None
    e2e_ms: ServerTimes | None
    queue_ms: ServerTimes | None
    notes: list[Message] = msgspec.field(default_factory=list)


def watched_figures(
    samples: Sequence[Sample],
    server: ServerDelta | None,
    ended: float,
    *,
    time_scale: float,
    version: str | None,
) -> WatchedFigures:
    """Return the figures of the `ended` wall seconds since the first sample.

    Counters mean nothing if the server restarted or several processes answered; `notes` say so.
    """
    scrapes, span = Scrapes(samples), MeasuredSpan(begin=0.0, end=ended, ended=ended)
    delta = server or ServerDelta()
    seconds = ended * time_scale

    def rate(count: float | None) -> float | None:
        return None if count is None or seconds <= 0 else count / seconds

    return WatchedFigures(
        seconds=seconds,
        requests_per_s=rate(delta.succeeded),
        rejected_per_s=rate(delta.rejected),
        input_tok_s=rate(delta.prompt_tokens),
        output_tok_s=rate(delta.generation_tokens),
        ttft_ms=_times(delta, metrics.TTFT),
        itl_ms=_times(delta, metrics.ITL),
        e2e_ms=_times(delta, metrics.E2E),
        queue_ms=_times(delta, metrics.QUEUE_TIME),
        notes=[*server_notes(scrapes, server, span), *_broken_counters(delta)],
        **server_figures(scrapes, server, span, Conditions(vllm_version=version)),
    )


def watched_summary(
    figures: WatchedFigures, server: ServerDelta | None, time_scale: float, identity: RunIdentity
) -> dict[str, Any]:
    """Return the figures in the form of a run's summary; figures of requests are unknown, validity too."""
    queue = histogram_queue_figures(None if server is None else server.queue)
    names = ("preemptions", "prefix_hit", "running_max", "running_mean", "waiting_max", "waiting_mean")
    return blank_summary(
        **{name: getattr(figures, name) for name in (*names, "kv_peak", "kv_mean")},
        queue_ms=msgspec.to_builtins(queue),
        duration_s=figures.seconds,
        time_scale=time_scale,
        notes=list(map(str, figures.notes)),
        note_messages=msgspec.to_builtins(figures.notes),
        **msgspec.structs.asdict(identity),
    )


def _broken_counters(delta: ServerDelta) -> list[Message]:
    sign = delta.restart_sign if delta.restarted else delta.mixed
    return [sign] if isinstance(sign, Message) else []


def _times(delta: ServerDelta, metric: Metric) -> ServerTimes | None:
    histogram = delta.histograms.get(metric.name)
    return None if histogram is None or histogram.count <= 0 else _bounded(histogram.scaled(1000))


def _bounded(histogram: Histogram) -> ServerTimes:
    return ServerTimes(
        n=round(histogram.count),
        mean=histogram.mean(),
        p50=histogram.quantile_bounds(0.5),
        p95=histogram.quantile_bounds(0.95),
    )
