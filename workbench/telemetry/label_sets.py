"""Assign the series of a page to engines by their labels.

- A plain vLLM labels its series with `engine` and `model_name`.
- A router, Triton, Ray or a metrics collector adds labels, one set of labels for each engine behind it.
- Two names of one engine, or two processes that publish it, are duplicates: the same values under another
  `model_name` or `pid`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from workbench.vllm_dialect import ENGINE_LABEL, MODEL_LABEL, Metric, metrics

ONLY_ENGINE = "0"
"""The engine's name on a page whose series have no engine label."""
Key = tuple[str, str, float | None]
"""A series without its labels: the family's name as spelled, the suffix, a bucket's upper bound."""
Labels = frozenset[tuple[str, str]]
BySet = Mapping[Labels, float | None]
"""One family's values by set of labels."""
ByEngine = dict[str, float | None]
"""One family's values by engine; None: unknown."""
_ANCHORS = frozenset(
    name
    for metric in (metrics.RUNNING, metrics.WAITING, metrics.KV_USAGE)
    for name in (metric.name, *metric.former)
)
"""Gauges that each engine has: a label that they lack divides another family, not engines."""
_OF_HISTOGRAMS = frozenset({"le", "quantile"})
_MAY_REPEAT = frozenset({MODEL_LABEL, "pid"})
"""Labels by which one engine may be published more than once."""


class LabelSets:
    """Collects a page's series, then gives each engine's value."""

    def __init__(self) -> None:
        self._series: dict[Key, dict[Labels, list[float | None]]] = defaultdict(lambda: defaultdict(list))
        self._metrics: dict[Key, Metric] = {}
        self._telling: set[str] = set()
        """Labels of the gauges that each engine has."""
        self.names: tuple[str, ...] = (ONLY_ENGINE,)
        """Every engine in order of rank, once `by_engine` was called."""

    def add(self, metric: Metric, key: Key, labels: Mapping[str, str], value: float | None) -> None:
        """Add one series; None: its value is unknown."""
        own = frozenset(each for each in labels.items() if each[0] not in _OF_HISTOGRAMS)
        if metric.labels:
            own = _without(own, metric.labels)
        if key[0] in _ANCHORS:
            self._telling.update(name for name, _ in own)
        self._series[key][own].append(value)
        self._metrics[key] = metric

    def by_engine(self) -> dict[Key, ByEngine]:
        """Return every family's values by engine."""
        values = {key: self._by_set(key) for key in self._series}
        engines = _engines({key: sets for key, sets in values.items() if self._metrics[key].per_engine})
        self.names = tuple(sorted(engines, key=lambda name: (len(name), name))) or (ONLY_ENGINE,)
        return {
            key: _first_known_set(sets, engines) if self._metrics[key].per_engine else _whole(sets, engines)
            for key, sets in values.items()
        }

    def _by_set(self, key: Key) -> dict[Labels, float | None]:
        """Return the family's values by the labels that distinguish engines."""
        telling = self._telling
        gathered: dict[Labels, list[float | None]] = defaultdict(list)
        for labels, values in self._series[key].items():
            extra = telling and any(name not in telling for name, _ in labels)
            own = frozenset(each for each in labels if each[0] in telling) if extra else labels
            gathered[own] += values
        ratio = self._metrics[key] is metrics.KV_USAGE
        return {labels: _combined(values, ratio=ratio) for labels, values in gathered.items()}


def _combined(values: Sequence[float | None], *, ratio: bool) -> float | None:
    """Return the sum (ratio: the largest); None if one is unknown."""
    if len(values) == 1:
        return values[0]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return max(known) if ratio else sum(known)


def _engines(values: Mapping[Key, BySet]) -> dict[str, list[Labels]]:
    """Return the engines by name, each with its sets of labels."""
    groups: dict[Labels, list[Labels]] = defaultdict(list)
    for labels in sorted({each for sets in values.values() for each in sets}, key=sorted):
        groups[_without(labels, _MAY_REPEAT)].append(labels)
    engines: list[list[Labels]] = []
    for group in groups.values():
        engines += _merged(group, values)
    return dict(zip(_names([sets[0] for sets in engines]), engines, strict=True))


def _merged(
    group: Sequence[Labels], values: Mapping[Key, Mapping[Labels, float | None]]
) -> list[list[Labels]]:
    """Group the sets of labels of one engine: no value differs between them."""
    merged: list[list[Labels]] = []
    for labels in group:
        same = (sets for sets in merged if not _differ(sets[0], labels, values))
        found = next(same, None)
        if found is None:
            merged.append([labels])
        else:
            found.append(labels)
    return merged


def _differ(one: Labels, other: Labels, values: Mapping[Key, BySet]) -> bool:
    both = (sets for sets in values.values() if one in sets and other in sets)
    return any(sets[one] != sets[other] for sets in both)


def _names(engines: Sequence[Labels]) -> list[str]:
    """Return the rank if only ranks differ, else the values of all labels that differ, rank first."""
    labels = [dict(each) for each in engines]
    names = {name for each in labels for name in each}
    differ = sorted(name for name in names if len({each.get(name) for each in labels}) > 1)
    if not set(differ) - {ENGINE_LABEL}:
        return [each.get(ENGINE_LABEL, ONLY_ENGINE) for each in labels]
    order = sorted(differ, key=lambda name: (name != ENGINE_LABEL, name))
    return ["/".join(each[name] for name in order if name in each) or ONLY_ENGINE for each in labels]


def _first_known_set(sets: BySet, engines: Mapping[str, Sequence[Labels]]) -> ByEngine:
    found: ByEngine = {}
    for name, own in engines.items():
        for labels in own:
            if labels in sets:
                found[name] = sets[labels]
                break
    return found


def _whole(sets: BySet, engines: Mapping[str, Sequence[Labels]]) -> ByEngine:
    """Return the sum of a family that belongs to no single engine, each engine counted once."""
    repeated = {_repeats(labels) for own in engines.values() for labels in own[1:]}
    repeated -= {_repeats(own[0]) for own in engines.values()}
    once = [
        value for labels, value in sets.items() if not (_repeats(labels) and _repeats(labels) in repeated)
    ]
    return {ONLY_ENGINE: _combined(once, ratio=False)}


def _repeats(labels: Labels) -> Labels:
    return frozenset(each for each in labels if each[0] in _MAY_REPEAT)


def _without(labels: Labels, names: Iterable[str]) -> Labels:
    return frozenset(each for each in labels if each[0] not in names)
