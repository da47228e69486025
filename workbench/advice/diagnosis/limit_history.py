"""Limits in force at each moment: step functions over the run, as a running server's limits can change."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from workbench.advice.diagnosis.array_operations import Bools, Floats
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import Message, message


class LimitStretch(NamedTuple):
    """A stretch of the run with one value of a limit; seconds of the run."""

    start: float
    end: float
    value: float | None
    """The limit's value; None if it is unknown or there is none."""


def limit_history(view: RunView, name: str) -> list[LimitStretch]:
    """Return the values of a limit in order; one stretch if it never changed."""
    value = view.limit(name)
    stretches: list[LimitStretch] = []
    since, first = -np.inf, True
    for change in view.changes:
        if change.name != name or change.refusal is not None or change.new is None:
            continue
        if first and change.old is not None:
            value = float(change.old)
        first = False
        if change.t is not None and change.new != value:
            at = change.t * view.time_scale
            stretches.append(LimitStretch(since, at, value))
            since = at
        value = float(change.new)
    return [*stretches, LimitStretch(since, np.inf, value)]


def limit_over(view: RunView, name: str, t: Floats) -> Floats:
    """Return the limit in force at each time; NaN: unknown or none."""
    values = np.full(len(t), np.nan)
    for stretch in limit_history(view, name):
        if stretch.value is not None:
            values[(t >= stretch.start) & (t < stretch.end)] = stretch.value
    return values


def view_at(view: RunView, t: float) -> RunView:
    """Return the run as if the limits in force at `t` had applied throughout."""
    changed = dict.fromkeys(change.name for change in view.changes)
    names = [name for name in changed if len(limit_history(view, name)) > 1]
    if not names:
        return view
    # A launched value that the run doesn't set is not one of its settings.
    values = {
        name: value
        for name in names
        if (value := _value_at(view, name, t)) != limit_history(view, name)[0].value or name in view.limits
    }
    return replace(view, limits={**view.limits, **values}, changes=(), records=view.requests)


def view_at_last(view: RunView, series: Series, mask: Bools) -> RunView:
    """Return the run by the limits in force at the mask's last moment (the run's, if the mask is empty)."""
    places = np.flatnonzero(mask)
    if not len(series):
        return view
    return view_at(view, float(series.t[places[-1] if len(places) else -1]))


def _value_at(view: RunView, name: str, t: float) -> int | float | None:
    value = next((one.value for one in limit_history(view, name) if one.start <= t < one.end), None)
    return int(value) if value is not None and value.is_integer() else value


def limit_changes(view: RunView, names: Iterable[str]) -> list[Message]:
    """Return one message for each limit that changed during the run: its values and their times."""
    return [
        message("advice.limit_changed", name=name, values=[_stretch(one) for one in stretches])
        for name in names
        if len(stretches := limit_history(view, name)) > 1
    ]


def _stretch(one: LimitStretch) -> Message:
    value = message("advice.unknown") if one.value is None else message("advice.setting", value=one.value)
    if np.isinf(one.start):
        return value
    return message("advice.setting_from", value=value, start=one.start)
