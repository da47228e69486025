"""Figures of each engine or replica of a run, and how unevenly they were loaded."""

from collections.abc import Mapping

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


class Imbalance(Record, frozen=True, kw_only=True):
    """Largest over mean between engines: 1 is even, their number is all on one. None: unknown, or no load."""

    waiting: float | None = None
    """Waiting requests of the longest queue / of the mean one, both averaged over the time of the window."""
    requests: float | None = None
    """Finished requests of the busiest engine / of the mean one."""
    kv: float | None = None
    """KV-cache usage, as `waiting`."""


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


def imbalance(
    scrapes: Scrapes, watched: MeasuredSpan, engines: Mapping[str, EngineFigures]
) -> Imbalance | None:
    """Return how unevenly the engines were loaded; None with one engine."""
    if not engines:
        return None
    loaded = scrapes.between(watched.begin, watched.end)

    def over_time(field: str) -> float | None:
        highest, level = _largest_and_mean(scrapes.by_engine(field))
        times = scrapes.times[loaded]
        most = mean_over_time(times, highest[loaded], watched.begin)
        usual = mean_over_time(times, level[loaded], watched.begin)
        return most / usual if most is not None and usual else None

    finished = [each.requests for each in engines.values()]
    known = [count for count in finished if count is not None]
    complete = len(known) == len(finished) and sum(known) > 0
    return Imbalance(
        waiting=over_time("waiting"),
        requests=max(known) * len(known) / sum(known) if complete else None,
        kv=over_time("kv_usage"),
    )


def imbalance_over_time(by_engine: Mapping[str, Floats]) -> Floats:
    """Return largest over mean between engines at each scrape; NaN: one is unknown, or all are 0."""
    highest, level = _largest_and_mean(by_engine)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio: Floats = np.where(level > 0, highest / level, np.nan)
    return ratio


def _largest_and_mean(by_engine: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    """Return both between engines at each scrape; NaN where one engine is unknown."""
    stacked = np.array(list(by_engine.values()))
    return stacked.max(axis=0), stacked.mean(axis=0)


def _growth(counter: Floats) -> float | None:
    known = counter[~np.isnan(counter)]
    return float(known[-1] - known[0]) if known.size and known[-1] >= known[0] else None


def _share(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None
