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
    sign = _sign_of_restart(first, last)
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
    """A counter's growth; a series that appeared in between began at 0."""
    end = last.total(metric)
    return None if end is None else end - (first.total(metric) or 0.0)


def _histogram_delta(metric: Metric, first: MetricsPage, last: MetricsPage) -> Histogram | None:
    end, begin = last.histogram(metric), first.histogram(metric)
    return end if end is None or begin is None else end.minus(begin)


def _sign_of_restart(first: MetricsPage, last: MetricsPage) -> str | None:
    """By what it is seen, with its figures; None: it wasn't restarted."""
    began, begins = first.process_start, last.process_start
    if began != begins:
        if began is None or begins is None:
            return "its page tells its process's start at one end of the run alone"
        return f"its process began {begins - began:+.0f} s from the one at the run's start"
    for metric in METRICS:
        if metric.kind is MetricKind.COUNTER and (_grown(metric, first, last) or 0.0) < 0:
            return f"{metric.name} fell from {first.total(metric):,.0f} to {last.total(metric):,.0f}"
        try:
            _histogram_delta(metric, first, last)
        except WorkbenchError as error:
            return f"{metric.name}: {error}"
    return None
