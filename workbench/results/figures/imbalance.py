"""Imbalance of a run's engines or replicas: the largest over the mean between them."""

from dataclasses import dataclass

import numpy as np

from workbench.base import Record
from workbench.results.figures.scrapes import Scrapes, time_weights
from workbench.results.figures.server_figures import MeasuredSpan
from workbench.results.percentiles import Floats


class Imbalance(Record, frozen=True, kw_only=True):
    """Largest over mean between engines: 1 is even, their number is all on one. None: unknown, or no load."""

    waiting: float | None = None
    """Waiting requests of the longest queue / of the mean one, both averaged over the time of the window."""
    requests: float | None = None
    """Finished requests of the busiest engine / of the mean one."""
    kv: float | None = None
    """KV-cache usage, as `waiting`."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The largest and the mean of all engines at each scrape; NaN where one engine is unknown."""

    largest: Floats
    mean: Floats

    def ratios(self) -> Floats:
        """Return largest over mean at each scrape; NaN: unknown, or all are 0."""
        ratios = np.full(len(self.mean), np.nan)
        np.divide(self.largest, self.mean, out=ratios, where=self.mean > 0)
        return ratios

    def ratio_of(self, weights: Floats) -> float | None:
        """Return the weighted mean of the largest over that of the mean; None: unknown, or all are 0."""
        known = ~np.isnan(self.mean) & (weights > 0)
        most = float(np.sum(self.largest[known] * weights[known]))
        usual = float(np.sum(self.mean[known] * weights[known]))
        return most / usual if usual > 0 else None


@dataclass(frozen=True, slots=True)
class ImbalanceOverTime:
    """The spread between engines at each scrape."""

    waiting: Spread
    requests: Spread
    """Requests that each finished since the first scrape."""
    kv: Spread

    def overall(self, weights: Floats) -> Imbalance:
        """Return one figure for each: of all requests so far, and the others by the scrapes' weights."""
        requests = self.requests.ratios()
        known = requests[~np.isnan(requests)]
        return Imbalance(
            waiting=self.waiting.ratio_of(weights),
            requests=float(known[-1]) if known.size else None,
            kv=self.kv.ratio_of(weights),
        )


def imbalance_over_time(waiting: Floats, succeeded: Floats, kv: Floats) -> ImbalanceOverTime:
    """Return the spread between engines; each argument has the shape (engines, scrapes), NaN is unknown.

    `succeeded` counts since the engine's own start.
    """
    return ImbalanceOverTime(_spread(waiting), _spread(_since_first(succeeded)), _spread(kv))


def imbalance_of_scrapes(scrapes: Scrapes) -> ImbalanceOverTime | None:
    """Return the spread between the engines of some scrapes; None with one engine."""
    if len(scrapes.engines()) < 2:
        return None
    fields = ("waiting", "succeeded", "kv_usage")
    return imbalance_over_time(*(np.array(list(scrapes.by_engine(field).values())) for field in fields))


def imbalance(scrapes: Scrapes, watched: MeasuredSpan) -> Imbalance | None:
    """Return how unevenly the engines were loaded; None with one engine.

    Waiting and KV are means over the time of the window, requests are those of all scrapes.
    """
    found = imbalance_of_scrapes(scrapes)
    if found is None:
        return None
    loaded = scrapes.between(watched.begin, watched.end)
    weights = np.zeros(len(scrapes.times))
    weights[loaded] = time_weights(scrapes.times[loaded], watched.begin)
    return found.overall(weights)


def _spread(rows: Floats) -> Spread:
    return Spread(rows.max(axis=0), rows.mean(axis=0))


def _since_first(counters: Floats) -> Floats:
    """Return the growth since each row's first known value; NaN over a restart."""
    known = ~np.isnan(counters)
    rows = np.arange(len(counters))
    grown = counters - counters[rows, known.argmax(axis=1)][:, None]
    return np.where(grown >= 0, grown, np.nan)
