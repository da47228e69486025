"""The difference between a run's first and last page."""

from workbench.base import WorkbenchError
from workbench.dialect import METRICS, Metric, MetricKind, metrics
from workbench.results import Histogram, ServerDelta
from workbench.telemetry.page import MetricsPage


def delta(first: MetricsPage, last: MetricsPage) -> ServerDelta:
    """What the server counted from `first` to `last`, summed over engines.

    A server that restarted in between (a counter shrank, buckets changed, the process is another) gives only
    `restarted`: its differences mean nothing.
    """
    if _restarted(first, last):
        return ServerDelta(restarted=True, missing=last.missing())
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
    """A counter's growth; a series that appeared in between began at 0."""
    end = last.total(metric)
    return None if end is None else end - (first.total(metric) or 0.0)


def _histogram_delta(metric: Metric, first: MetricsPage, last: MetricsPage) -> Histogram | None:
    end, begin = last.histogram(metric), first.histogram(metric)
    return end if end is None or begin is None else end.minus(begin)


def _restarted(first: MetricsPage, last: MetricsPage) -> bool:
    if first.process_start != last.process_start:
        return True
    counters = (metric for metric in METRICS if metric.kind is MetricKind.COUNTER)
    if any((_grown(metric, first, last) or 0.0) < 0 for metric in counters):
        return True
    try:
        for metric in METRICS:
            _histogram_delta(metric, first, last)
    except WorkbenchError:
        return True
    return False
