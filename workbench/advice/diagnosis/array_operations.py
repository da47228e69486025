"""Small operations on arrays over a run: what holds around a sample, and for how long."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ENOUGH = 3
"""A state counts when this many samples in a row show it; a single sample shows one step only."""


def around(values: Floats, *, largest: bool) -> Floats:
    """Return the largest (or smallest) of each value and its two neighbours, without NaN.

    Servers report gauges after a step's finished requests have left, so a full server seems
    to have a free place.
    """
    if not len(values):
        return values
    fill = -np.inf if largest else np.inf
    padded = np.concatenate(([fill], np.where(np.isnan(values), fill, values), [fill]))
    stacked = np.stack((padded[:-2], padded[1:-1], padded[2:]))
    found: Floats = stacked.max(axis=0) if largest else stacked.min(axis=0)
    return np.where(np.isinf(found), np.nan, found)


def runs(mask: Bools) -> list[tuple[int, int]]:
    """Return the first and the one-past-last index of each stretch of True."""
    padded = np.concatenate(([False], mask, [False])).astype(np.int8)
    edges = np.flatnonzero(np.diff(padded))
    return [(int(first), int(last)) for first, last in zip(edges[::2], edges[1::2], strict=True)]


def lasting(mask: Bools) -> Bools:
    """Return the mask without stretches of fewer than three samples."""
    kept = np.zeros(len(mask), dtype=np.bool_)
    for first, last in runs(mask):
        if last - first >= ENOUGH:
            kept[first:last] = True
    return kept


def above(values: Floats, bound: float) -> Bools:
    """Return the mask of known values above a bound."""
    with np.errstate(invalid="ignore"):
        found: Bools = np.asarray(values > bound, dtype=np.bool_)
    return found


def at_least(values: Floats, bound: float | Floats) -> Bools:
    """Return the mask of known values not below a known bound."""
    with np.errstate(invalid="ignore"):
        found: Bools = np.asarray(values >= bound, dtype=np.bool_)
    return found


def durations(t: Floats) -> Floats:
    """Return the seconds that each sample represents: half of the time to each neighbour."""
    if len(t) < 2:
        return np.zeros(len(t))
    middles = (t[1:] + t[:-1]) / 2
    edges = np.concatenate(([t[0]], middles, [t[-1]]))
    spans: Floats = np.diff(edges)
    return spans


def recent_sum(values: Floats, samples: int) -> Floats:
    """Return the sum over each value and the ones before it, `samples` in all; NaN counts as 0."""
    total = np.concatenate(([0.0], np.cumsum(np.nan_to_num(values))))
    ends = np.arange(1, len(values) + 1)
    summed: Floats = total[ends] - total[np.maximum(0, ends - samples)]
    return summed


def without_short(mask: Bools, t: Floats, seconds: float) -> Bools:
    """Return the mask without stretches shorter than a time."""
    kept = np.zeros(len(mask), dtype=np.bool_)
    for first, last in runs(mask):
        if t[last - 1] - t[first] >= seconds:
            kept[first:last] = True
    return kept
