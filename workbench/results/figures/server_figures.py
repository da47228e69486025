"""Peaks and counters of a run from the server's metrics, and why one is unknown."""

from typing import Any, NamedTuple

from workbench.base import Message, message
from workbench.results.figures.prefix_hit import prefix_share
from workbench.results.figures.run_frame import Conditions
from workbench.results.figures.scrapes import Scrapes, largest, mean_over_time
from workbench.results.run_records import ServerDelta

_GAUGES = {"running_max": "running", "waiting_max": "waiting", "kv_peak": "kv_usage"}
_MEANS = {"running_mean": "running", "waiting_mean": "waiting", "kv_mean": "kv_usage"}


class MeasuredSpan(NamedTuple):
    """The wall seconds, since the schedule's start, in which the server was measured."""

    begin: float
    """The start of the measured window."""
    end: float
    """The end of the measured window."""
    ended: float
    """The end of the drain."""


def server_figures(
    scrapes: Scrapes, server: ServerDelta | None, watched: MeasuredSpan, conditions: Conditions
) -> dict[str, Any]:
    """Return the figures by their names in `RunSummary`.

    Means are over the time of the window, peaks of the window and the drain, counters of the whole run. The
    figures are unknown in these cases:

    - several processes answered in turn: all of them,
    - the server restarted: the counters,
    - scrapes stopped or paused too long: the means and peaks, and the counters without a last page.
    """
    figures: dict[str, Any] = dict.fromkeys((*_GAUGES, *_MEANS, "preemptions", "prefix_hit"))
    if server is not None and server.mixed is not None:
        return figures
    if scrapes.pause(watched.begin, watched.ended) is None and not _lost(scrapes, server, watched):
        inside = scrapes.between(watched.begin, watched.ended)
        loaded = scrapes.between(watched.begin, watched.end)
        figures |= {name: largest(scrapes.column(field)[inside]) for name, field in _GAUGES.items()}
        figures |= {
            name: mean_over_time(scrapes.times[loaded], scrapes.column(field)[loaded], watched.begin)
            for name, field in _MEANS.items()
        }
    delta = server or _counted(scrapes, watched)
    if not delta.restarted:
        figures["preemptions"] = delta.preemptions
        figures["prefix_hit"] = prefix_share(delta, conditions)
    return figures


def server_notes(scrapes: Scrapes, server: ServerDelta | None, watched: MeasuredSpan) -> list[Message]:
    """Return what is unusual about the server's metrics; the run may be valid."""
    notes = []
    engines = scrapes.engines()
    if any(not engine.isdigit() for engine in engines):
        notes.append(message("results.engines_behind", count=len(engines), names=list(engines)))
    if not scrapes.times.size:
        return notes
    if _lost(scrapes, server, watched):
        begin, end = max(0.0, float(scrapes.times[0])), float(scrapes.times[-1])
        notes.append(message("results.metrics_lost", begin_s=begin, end_s=end, ended_s=watched.ended))
    elif (pause := scrapes.pause(watched.begin, watched.ended)) is not None:
        notes.append(message("results.metrics_paused", begin_s=pause[0], end_s=pause[1]))
    return notes


def _lost(scrapes: Scrapes, server: ServerDelta | None, watched: MeasuredSpan) -> bool:
    """Return whether the metrics cover only a part of the run."""
    return server is None and bool(scrapes.times.size) and not scrapes.cover(0.0, watched.ended)


def _counted(scrapes: Scrapes, watched: MeasuredSpan) -> ServerDelta:
    """Return counters from the scrapes, for a run without first and last page that the scrapes cover."""
    if not scrapes.cover(0.0, watched.ended):
        return ServerDelta()
    return ServerDelta(
        preemptions=scrapes.growth("preemptions"),
        prefix_queries=scrapes.growth("prefix_queries"),
        prefix_hits=scrapes.growth("prefix_hits"),
    )
