"""Limits as they held at each moment: step functions over the run, for some are changed while it goes on."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from workbench.advice.diagnosis.series import Bools, Floats, Series
from workbench.advice.diagnosis.view import RunView
from workbench.advice.diagnosis.words import setting


class Held(NamedTuple):
    """A stretch over which one value of a limit held; seconds of the run."""

    start: float
    end: float
    value: float | None
    """None: unknown or none."""


def held(view: RunView, name: str) -> list[Held]:
    """The values that a limit had, one after the other; one stretch where it never changed."""
    value = view.limit(name)
    stretches: list[Held] = []
    since, first = -np.inf, True
    for change in view.changes:
        if change.name != name or change.refusal is not None or change.new is None:
            continue
        if first and change.old is not None:
            value = float(change.old)
        first = False
        if change.t is not None and change.new != value:
            at = change.t * view.time_scale
            stretches.append(Held(since, at, value))
            since = at
        value = float(change.new)
    return [*stretches, Held(since, np.inf, value)]


def limit_over(view: RunView, name: str, t: Floats) -> Floats:
    """The limit in force at each time; NaN: unknown or none."""
    values = np.full(len(t), np.nan)
    for stretch in held(view, name):
        if stretch.value is not None:
            values[(t >= stretch.start) & (t < stretch.end)] = stretch.value
    return values


def changed_names(view: RunView) -> list[str]:
    """Limits of which more than one value held during the run."""
    names = dict.fromkeys(change.name for change in view.changes)
    return [name for name in names if len(held(view, name)) > 1]


def as_of(view: RunView, t: float) -> RunView:
    """The run as if the limits in force at `t` had held all the while."""
    names = changed_names(view)
    if not names:
        return view
    values = {name: _at(view, name, t) for name in names}
    # A launched value that nobody stated is none of the run's settings.
    values = {
        name: value
        for name, value in values.items()
        if name in view.limits or value != held(view, name)[0].value
    }
    return replace(view, limits={**view.limits, **values}, changes=(), records=view.requests)


def as_last(view: RunView, series: Series, mask: Bools) -> RunView:
    """The run by the limits in force at the last moment of a mask, or of the run where it is empty."""
    places = np.flatnonzero(mask)
    if not len(series):
        return view
    return as_of(view, float(series.t[places[-1] if len(places) else -1]))


def changes_said(view: RunView, names: Iterable[str]) -> list[str]:
    """One sentence a limit that was changed: its values, and from when each held."""
    said = []
    for name in names:
        stretches = held(view, name)
        if len(stretches) < 2:
            continue
        first, *later = stretches
        values = [_shown(first.value), *(f"{_shown(one.value)} from {one.start:.1f} s" for one in later)]
        said.append(f"{name} was changed while the run went on: {', '.join(values)}.")
    return said


def _shown(value: float | None) -> str:
    return "unknown" if value is None else setting(value)


def _at(view: RunView, name: str, t: float) -> int | float | None:
    value = next((one.value for one in held(view, name) if one.start <= t < one.end), None)
    return int(value) if value is not None and value.is_integer() else value
