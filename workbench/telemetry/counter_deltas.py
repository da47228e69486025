"""The difference between a run's first and last page."""

from workbench.base import Message, WorkFailure, message
from workbench.results import Histogram, ServerDelta
from workbench.telemetry.metrics_page import MetricsPage
from workbench.telemetry.scrape_origin import ScrapeOrigin
from workbench.vllm_dialect import METRICS, Metric, MetricKind, metrics


def server_delta(first: MetricsPage, last: MetricsPage, origin: ScrapeOrigin | None = None) -> ServerDelta:
    """Return what the server counted from `first` to `last`, summed over engines.

    The differences mean nothing in two cases:

    - several processes answered in turn (`mixed`),
    - the server restarted in between (`restarted`): a counter shrank, buckets or the process changed.

    Args:
        first: the page at the run's start.
        last: the page after its end.
        origin: the processes that gave the pages of the run, these two included.
    """
    several = origin.several() if origin is not None else None
    if several is not None:
        return ServerDelta(mixed=several, missing=last.missing())
    sign = _sign_of_restart(first, last) or (origin.restarted() if origin is not None else None)
    if sign is not None:
        return ServerDelta(restarted=True, restart_sign=sign, missing=last.missing())
    histograms = {
        metric.name: difference
        for metric in METRICS
        if (difference := _histogram_delta(metric, first, last)) is not None
    }
    return ServerDelta(
        preemptions=_grown(metrics.PREEMPTIONS, first, last),
        prompt_tokens=_grown(metrics.PROMPT_TOKENS, first, last),
        generation_tokens=_grown(metrics.GENERATION_TOKENS, first, last),
        succeeded=_grown(metrics.REQUEST_SUCCESS, first, last),
        rejected=_grown(metrics.REJECTIONS, first, last),
        prefix_queries=_grown(metrics.PREFIX_QUERIES, first, last),
        prefix_hits=_grown(metrics.PREFIX_HITS, first, last),
        queue=histograms.get(metrics.QUEUE_TIME.name),
        histograms=histograms,
        missing=last.missing(),
    )


def _grown(metric: Metric, first: MetricsPage, last: MetricsPage) -> float | None:
    """Return a counter's growth; a series that appeared in between began at 0."""
    begin, end = first.total(metric), last.total(metric)
    if end is None or (begin is None and first.has(metric)):
        return None
    return end - (begin or 0.0)


def _histogram_delta(metric: Metric, first: MetricsPage, last: MetricsPage) -> Histogram | None:
    end, begin = last.histogram(metric), first.histogram(metric)
    if end is None or (begin is None and first.has(metric, "_sum")):
        return None
    return end if begin is None else end.minus(begin)


def _sign_of_restart(first: MetricsPage, last: MetricsPage) -> Message | None:
    """Return the sign of a restart, with its figures; None: there is none."""
    began, begins = first.process_start, last.process_start
    if began != begins:
        if began is None or begins is None:
            return message("results.start_at_one_end")
        return message("results.process_began_later", seconds=begins - began)
    for metric in METRICS:
        if metric.kind is MetricKind.COUNTER and (_grown(metric, first, last) or 0.0) < 0:
            before, after = first.total(metric), last.total(metric)
            return message("results.counter_fell", name=metric.name, before=before, after=after)
        try:
            _histogram_delta(metric, first, last)
        except WorkFailure as error:
            return message("results.histogram_unlike", name=metric.name, why=error.message)
    return None
