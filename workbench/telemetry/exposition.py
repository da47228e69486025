"""Prometheus text as numbers by canonical name, for every version of vLLM."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import msgspec
from prometheus_client.parser import text_string_to_metric_families

from workbench.base import Place, Refusal, message
from workbench.results import Histogram
from workbench.telemetry.label_sets import ONLY_ENGINE, ByEngine, Key, LabelSets
from workbench.vllm_dialect import METRICS, MODEL_LABEL, PREFIX, Metric, MetricKind, find_metric, metrics

PROCESS_START = "process_start_time_seconds"
_DEFERRED = "deferred"
_SUFFIXES = ("_bucket", "_sum", "_count", "_total")
_LARGEST = 1e18
"""Larger values are no measurements."""


class Exposition(msgspec.Struct, kw_only=True):
    """The content of one page: families by canonical name, engines by name, such as "0"."""

    scalars: dict[str, ByEngine] = msgspec.field(default_factory=dict)
    """Family to engine to value, summed over the engine's other labels (KV usage: the largest).

    Histograms give `…_sum` and `…_count`. None: the page's value is not finite, or impossible.
    """
    histograms: dict[str, dict[str, Histogram]] = msgspec.field(default_factory=dict)
    """Family to engine to buckets, in the server's own unit; without families that have an unknown value."""
    deferred: ByEngine = msgspec.field(default_factory=dict)
    """Engine to requests that don't wait for capacity; empty: the page gives no reasons."""
    cache_config: dict[str, str] = msgspec.field(default_factory=dict)
    """The first engine's labels of `cache_config_info`."""
    engines: tuple[str, ...] = (ONLY_ENGINE,)
    """Every engine, in order of rank."""
    model_names: tuple[str, ...] = ()
    process_start: float | None = None
    """Unix seconds; None: the page has none, or several."""


def read_exposition(text: str, prefixes: tuple[str, ...], *, where: str, with_buckets: bool) -> Exposition:
    """Read the lines that begin with one of `prefixes`.

    Raises:
        Refusal: it isn't exposition text, was cut off, or is another service's.
    """
    lines = text.splitlines()
    if not any(line.startswith(PREFIX) for line in lines):
        raise Refusal("telemetry.no_vllm_series", Place(file=where))
    if not text.endswith("\n"):
        raise Refusal("telemetry.page_cut_off", Place(file=where), line=lines[-1][:60])
    reader = _Reader()
    wanted = (line for line in lines if line.startswith(prefixes) and "_created" not in line)
    try:
        for family in text_string_to_metric_families("\n".join(wanted) + "\n"):
            for sample in family.samples:
                reader.add(sample.name, sample.labels, float(sample.value))
        return reader.finish(with_buckets=with_buckets)
    except (ValueError, KeyError, IndexError, AttributeError) as error:
        problem = error.args[0] if isinstance(error, _BadFamilyError) else str(error)
        raise Refusal("telemetry.not_a_page", Place(file=where), problem=problem) from error


class _BadFamilyError(ValueError):
    """A family whose series contradict each other; its argument is a message."""


class _Reader:
    """Gathers samples by their spelling; chooses between spellings at the end."""

    def __init__(self) -> None:
        self._sets = LabelSets()
        self._models: set[str] = set()
        self._cache_config: dict[str, str] = {}
        self._process_starts: set[float] = set()

    def add(self, name: str, labels: dict[str, str], value: float) -> None:
        if name == PROCESS_START:
            if math.isfinite(value):
                self._process_starts.add(value)
            return
        spelling, suffix = _split(name)
        metric = find_metric(spelling)
        if metric is None:
            return
        self._models.add(labels.get(MODEL_LABEL, ""))
        if metric is metrics.CACHE_CONFIG:
            self._cache_config = self._cache_config or dict(labels)
            return
        known = value if _is_possible(metric, value) else None
        bound = float(labels["le"]) if suffix == "_bucket" else None
        self._sets.add(metric, (spelling, suffix, bound), labels, known)
        if metric is metrics.WAITING_BY_REASON and labels.get("reason") == _DEFERRED:
            self._sets.add(metric, (spelling, _DEFERRED, None), labels, known)

    def finish(self, *, with_buckets: bool) -> Exposition:
        values = self._sets.by_engine()
        page = Exposition(
            deferred=values.get((metrics.WAITING_BY_REASON.name, _DEFERRED, None), {}),
            cache_config=self._cache_config,
            engines=self._sets.names,
            model_names=tuple(sorted(self._models - {""})),
            process_start=self._process_starts.pop() if len(self._process_starts) == 1 else None,
        )
        for metric in METRICS:
            for suffix in ("", "_sum", "_count"):
                found = _first_spelled(values, metric, suffix)
                if found is not None:
                    page.scalars[metric.name + suffix] = found
            if with_buckets and metric.kind is MetricKind.HISTOGRAM:
                _add_histogram(page, metric, values)
        return page


def _is_possible(metric: Metric, value: float) -> bool:
    """Return whether it can be a measurement: finite, not negative, and a ratio at most 1."""
    largest = 1.0 if metric is metrics.KV_USAGE else _LARGEST
    return 0 <= value <= largest


def _first_spelled(values: Mapping[Key, ByEngine], metric: Metric, suffix: str) -> ByEngine | None:
    """Return the series by its present name, else by a former one; both would count twice."""
    spellings = (metric.name, *metric.former)
    return next((values[name, suffix, None] for name in spellings if (name, suffix, None) in values), None)


def _add_histogram(page: Exposition, metric: Metric, values: Mapping[Key, ByEngine]) -> None:
    bounds: dict[str, dict[float, ByEngine]] = {}
    for (spelling, _, bound), by_engine in values.items():
        if bound is not None and spelling in (metric.name, *metric.former):
            bounds.setdefault(spelling, {})[bound] = by_engine
    buckets = next((bounds[name] for name in (metric.name, *metric.former) if name in bounds), None)
    if buckets is None:
        if metric.name + "_sum" in page.scalars:
            raise _BadFamilyError(message("telemetry.no_buckets", name=metric.name))
        return
    sums = page.scalars.get(f"{metric.name}_sum", {})
    counts = page.scalars.get(f"{metric.name}_count", {})
    if None in [
        *sums.values(),
        *counts.values(),
        *(each for one in buckets.values() for each in one.values()),
    ]:
        return
    named = dict.fromkeys(engine for one in buckets.values() for engine in one)
    page.histograms[metric.name] = {
        engine: _histogram(
            metric.name,
            {bound: one[engine] or 0.0 for bound, one in buckets.items() if engine in one},
            sums.get(engine),
            counts.get(engine),
        )
        for engine in named
    }


def _split(name: str) -> tuple[str, str]:
    """Split a sample's name into its family, in some version's spelling, and the suffix."""
    if find_metric(name) is not None:
        return name, ""
    suffix = next((ending for ending in _SUFFIXES if name.endswith(ending)), "")
    return name.removesuffix(suffix), suffix if suffix != "_total" else ""


def _histogram(name: str, bounds: dict[float, float], total: float | None, count: float | None) -> Histogram:
    edges = sorted(bounds)
    cumulative = [bounds[edge] for edge in edges]
    if not edges or not math.isinf(edges[-1]) or total is None or count is None:
        raise _BadFamilyError(message("telemetry.family_cut_off", name=name))
    if count != cumulative[-1] or not _ascends(cumulative):
        raise _BadFamilyError(message("telemetry.buckets_contradict", name=name))
    return Histogram.from_cumulative(edges, cumulative, total)


def _ascends(values: Sequence[float]) -> bool:
    return all(low <= high for low, high in pairwise(values))
