"""Figures of each engine or replica of a run."""

import numpy as np

from workbench.base import Record
from workbench.results.figures.scrapes import Scrapes, largest, mean_over_time
from workbench.results.figures.server_figures import MeasuredSpan
from workbench.results.percentiles import Floats


class EngineFigures(Record, frozen=True, kw_only=True):
    """One engine's figures, as the run's own of the same names; None is unknown."""

    running_mean: float | None = None
    running_max: float | None = None
    waiting_mean: float | None = None
    waiting_max: float | None = None
    kv_mean: float | None = None
    kv_peak: float | None = None
    preemptions: float | None = None
    requests: float | None = None
    """Requests that it finished, from the first scrape to the last."""
    prompt_tokens: float | None = None
    generation_tokens: float | None = None
    prefix_hit: float | None = None
    """Prompt tokens found in its prefix cache / looked up."""


def engine_figures(scrapes: Scrapes, watched: MeasuredSpan) -> dict[str, EngineFigures]:
    """Return the figures of each engine; empty with one engine.

    As for the whole server, means are over the time of the window, peaks of the window and the drain.
    """
    names = scrapes.engines()
    if len(names) < 2:
        return {}
    inside = scrapes.between(watched.begin, watched.ended)
    loaded = scrapes.between(watched.begin, watched.end)
    gauges = {field: scrapes.by_engine(field) for field in ("running", "waiting", "kv_usage")}
    counters = {field: scrapes.by_engine(field) for field in _COUNTERS}

    def mean(field: str, name: str) -> float | None:
        return mean_over_time(scrapes.times[loaded], gauges[field][name][loaded], watched.begin)

    def peak(field: str, name: str) -> float | None:
        return largest(gauges[field][name][inside])

    def grown(field: str, name: str) -> float | None:
        return _growth(counters[field][name])

    return {
        name: EngineFigures(
            running_mean=mean("running", name),
            running_max=peak("running", name),
            waiting_mean=mean("waiting", name),
            waiting_max=peak("waiting", name),
            kv_mean=mean("kv_usage", name),
            kv_peak=peak("kv_usage", name),
            preemptions=grown("preemptions", name),
            requests=grown("succeeded", name),
            prompt_tokens=grown("prompt_tokens", name),
            generation_tokens=grown("generation_tokens", name),
            prefix_hit=_share(grown("prefix_hits", name), grown("prefix_queries", name)),
        )
        for name in names
    }


_COUNTERS = (
    *("preemptions", "succeeded", "prompt_tokens", "generation_tokens"),
    *("prefix_hits", "prefix_queries"),
)


def _growth(counter: Floats) -> float | None:
    known = counter[~np.isnan(counter)]
    return float(known[-1] - known[0]) if known.size and known[-1] >= known[0] else None


def _share(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None
