"""Exposition text as numbers by canonical name, whatever version of vLLM wrote it."""

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import msgspec
from prometheus_client.parser import text_string_to_metric_families

from workbench.base import InputError
from workbench.dialect import (
    ENGINE_LABEL,
    METRICS,
    MODEL_LABEL,
    PREFIX,
    Metric,
    MetricKind,
    find_metric,
    metrics,
)
from workbench.results import Histogram

PROCESS_START = "process_start_time_seconds"
ONLY_ENGINE = "0"
"""The engine of a page whose series carry no engine label."""
_DEFERRED = "deferred"
_SUFFIXES = ("_bucket", "_sum", "_count", "_total")


class Exposition(msgspec.Struct, kw_only=True):
    """What one page says. Families by canonical name, engines as strings such as "0"."""

    scalars: dict[str, dict[str, float]] = msgspec.field(default_factory=dict)
    """Family to engine to value, summed over all other labels. Of histograms: `…_sum` and `…_count`."""
    histograms: dict[str, dict[str, Histogram]] = msgspec.field(default_factory=dict)
    """Family to engine to buckets, in the server's own unit."""
    deferred: dict[str, float] = msgspec.field(default_factory=dict)
    """Engine to requests that wait for something else than capacity; empty: the page doesn't tell reasons."""
    cache_config: dict[str, str] = msgspec.field(default_factory=dict)
    """The labels of `cache_config_info`, of the first engine."""
    model_names: tuple[str, ...] = ()
    process_start: float | None = None
    """Unix seconds."""


def read_exposition(text: str, prefixes: tuple[str, ...], *, where: str, with_buckets: bool) -> Exposition:
    """Read the lines that begin with one of `prefixes`.

    Raises:
        InputError: it isn't exposition text, was cut off, or is another service's.
    """
    lines = text.splitlines()
    if not any(line.startswith(PREFIX) for line in lines):
        raise InputError(
            f"{where}: no series of vLLM in it; another service's, or vLLM with --disable-log-stats"
        )
    if not text.endswith("\n"):
        raise InputError(f"{where}: cut off at {lines[-1][:60]!r}")
    reader = _Reader()
    wanted = (line for line in lines if line.startswith(prefixes) and "_created" not in line)
    try:
        for family in text_string_to_metric_families("\n".join(wanted) + "\n"):
            for sample in family.samples:
                reader.take(sample.name, sample.labels, float(sample.value))
        return reader.finish(with_buckets=with_buckets)
    except (ValueError, KeyError, IndexError, AttributeError) as error:
        raise InputError(f"{where}: not a metrics page: {error}") from error


class _Reader:
    """Gathers samples by the spelling they came in; decides between spellings at the end."""

    def __init__(self) -> None:
        self._scalars: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._buckets: dict[str, dict[str, dict[float, float]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(float))
        )
        self._deferred: dict[str, float] = defaultdict(float)
        self._models: set[str] = set()
        self._cache_config: dict[str, str] = {}
        self._process_start: float | None = None

    def take(self, name: str, labels: dict[str, str], value: float) -> None:
        if name == PROCESS_START:
            self._process_start = value
            return
        spelling, suffix = _split(name)
        metric = find_metric(spelling)
        if metric is None or math.isnan(value):
            return
        self._models.add(labels.get(MODEL_LABEL, ""))
        engine = labels.get(ENGINE_LABEL, ONLY_ENGINE)
        if metric is metrics.CACHE_CONFIG:
            self._cache_config = self._cache_config or dict(labels)
        elif suffix == "_bucket":
            self._buckets[spelling][engine][float(labels["le"])] += value
        elif metric.kind is MetricKind.HISTOGRAM:
            self._scalars[spelling + suffix][engine] += value
        else:
            self._scalars[spelling][engine] += value
            if metric is metrics.WAITING_BY_REASON and labels.get("reason") == _DEFERRED:
                self._deferred[engine] += value

    def finish(self, *, with_buckets: bool) -> Exposition:
        page = Exposition(
            deferred=dict(self._deferred),
            cache_config=self._cache_config,
            model_names=tuple(sorted(self._models - {""})),
            process_start=self._process_start,
        )
        for metric in METRICS:
            for suffix in ("", "_sum", "_count"):
                values = self._first_of(metric, suffix)
                if values is not None:
                    page.scalars[metric.name + suffix] = dict(values)
            if with_buckets and metric.kind is MetricKind.HISTOGRAM:
                self._add_histogram(page, metric)
        return page

    def _first_of(self, metric: Metric, suffix: str) -> dict[str, float] | None:
        """The series by its present name, else by a former one; never both, or it would count twice."""
        spellings = (metric.name, *metric.former)
        return next(
            (self._scalars[name + suffix] for name in spellings if name + suffix in self._scalars), None
        )

    def _add_histogram(self, page: Exposition, metric: Metric) -> None:
        spelling = next((name for name in (metric.name, *metric.former) if name in self._buckets), None)
        if spelling is None:
            if metric.name + "_sum" in page.scalars:
                raise ValueError(f"{metric.name} has no buckets")
            return
        sums = page.scalars.get(f"{metric.name}_sum", {})
        counts = page.scalars.get(f"{metric.name}_count", {})
        page.histograms[metric.name] = {
            engine: _histogram(metric.name, bounds, sums.get(engine), counts.get(engine))
            for engine, bounds in self._buckets[spelling].items()
        }


def _split(name: str) -> tuple[str, str]:
    """A sample's family in some version's spelling, and the suffix that makes it a part of it."""
    if find_metric(name) is not None:
        return name, ""
    suffix = next((ending for ending in _SUFFIXES if name.endswith(ending)), "")
    return name.removesuffix(suffix), suffix if suffix != "_total" else ""


def _histogram(name: str, bounds: dict[float, float], total: float | None, count: float | None) -> Histogram:
    edges = sorted(bounds)
    cumulative = [bounds[edge] for edge in edges]
    if not edges or not math.isinf(edges[-1]) or total is None or count is None:
        raise ValueError(f"{name} is cut off")
    if count != cumulative[-1] or not _ascends(cumulative):
        raise ValueError(f"the buckets of {name} contradict each other")
    return Histogram.from_cumulative(edges, cumulative, total)


def _ascends(values: Sequence[float]) -> bool:
    return all(low <= high for low, high in pairwise(values))
