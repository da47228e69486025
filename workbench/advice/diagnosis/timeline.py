"""The bottleneck at each moment: one label a sample, and stretches along the run's time axis."""

import itertools

import numpy as np
from numpy.typing import NDArray

from workbench.advice.diagnosis.array_operations import ENOUGH, Bools, above, durations, lasting
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.bottleneck_rules import BOTTLENECK_RULES
from workbench.advice.diagnosis.conditions import BottleneckConditions
from workbench.advice.diagnosis.findings import Segment
from workbench.advice.diagnosis.series import Series

Labels = NDArray[np.int8]
"""Index into `NAMES` for each sample."""
NAMES = tuple(Bottleneck)
_INDEX = {name: index for index, name in enumerate(NAMES)}


def label_samples(conditions: BottleneckConditions) -> Labels:
    """Return the first bottleneck that lasts at each sample; short gaps take the label around them."""
    labels = _without_limit(conditions.series)
    for rule in reversed(BOTTLENECK_RULES):
        labels[lasting(rule.mask(conditions))] = _INDEX[rule.bottleneck]
    return _bridged(labels)


def newest_label(conditions: BottleneckConditions) -> Bottleneck:
    """Return the first bottleneck at the newest sample, however short."""
    for rule in BOTTLENECK_RULES:
        if bool(rule.mask(conditions)[-1]):
            return rule.bottleneck
    return NAMES[int(_without_limit(conditions.series)[-1])]


def moments_of(labels: Labels, bottleneck: Bottleneck) -> Bools:
    """Return the mask of one bottleneck's samples."""
    return np.asarray(labels == _INDEX[bottleneck], dtype=np.bool_)


def _without_limit(series: Series) -> Labels:
    labels = np.full(len(series), _INDEX[Bottleneck.NONE], dtype=np.int8)
    inside = series.running + series.waiting
    labels[(inside == 0) & ~above(series.in_flight, 0)] = _INDEX[Bottleneck.IDLE]
    labels[np.isnan(inside)] = _INDEX[Bottleneck.UNKNOWN]
    return labels


def _edges(labels: Labels) -> list[int]:
    """Return the places at which a new label begins, from 0 to the end."""
    return [0, *(int(place) + 1 for place in np.flatnonzero(np.diff(labels))), len(labels)]


def _bridged(labels: Labels) -> Labels:
    """Return the labels without flicker between two stretches of the same label."""
    bridged = labels.copy()
    for first, last in itertools.pairwise(_edges(labels)):
        if last - first < ENOUGH and first > 0 and last < len(labels) and bridged[first - 1] == labels[last]:
            bridged[first:last] = labels[last]
    return bridged


def segments_of(series: Series, labels: Labels) -> list[Segment]:
    """Return the stretches of one label, without gaps between them."""
    if not len(labels):
        return []
    starts = series.t[0] + np.concatenate(([0.0], np.cumsum(durations(series.t))))
    return [
        Segment(start=float(starts[first]), end=float(starts[last]), bottleneck=NAMES[labels[first]])
        for first, last in itertools.pairwise(_edges(labels))
    ]


def shares_of(segments: list[Segment]) -> dict[str, float]:
    """Return each label's share of the run's time, largest first."""
    total = sum(segment.end - segment.start for segment in segments)
    if total <= 0:
        return {}
    shares: dict[str, float] = {}
    for segment in segments:
        share = (segment.end - segment.start) / total
        shares[segment.bottleneck.value] = shares.get(segment.bottleneck.value, 0.0) + share
    return dict(sorted(shares.items(), key=lambda item: -item[1]))
