"""Headroom: limits that the run never came near, so that they can't matter here."""

from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np

from workbench.advice.diagnosis.array_operations import Bools, Floats
from workbench.advice.diagnosis.findings import NEAR, Headroom, is_near
from workbench.advice.diagnosis.limit_history import LimitStretch, limit_history
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import message

_BUDGET = "max_num_batched_tokens"


def headrooms_of(view: RunView, series: Series) -> list[Headroom]:
    """Return the headroom of each known limit in force, reached or not."""
    found = []
    for name in _REACHED:
        stretches = limit_history(view, name)
        if len(stretches) == 1:
            found += _whole_run(view, series, name)
        else:
            found += [each for stretch in stretches for each in _in_stretch(view, series, name, stretch)]
    peak = _largest(series.kv)
    if peak is not None and peak < NEAR:
        verdict = message("advice.kv_never_full", share=peak)
        found.append(Headroom(control="kv_cache", limit=1.0, reached=peak, verdict=verdict))
    return found


def _whole_run(view: RunView, series: Series, name: str) -> list[Headroom]:
    """Return the headroom of a limit with one value throughout; empty if it is unknown."""
    limit = view.limit(name)
    if limit is None:
        return []
    by_steps = _by_steps(view, limit) if name == _BUDGET else None
    return [by_steps or _headroom(name, limit, _REACHED[name](view, series))]


def _in_stretch(view: RunView, series: Series, name: str, stretch: LimitStretch) -> list[Headroom]:
    """Return the headroom of one value that applied to a part of the run, by what was seen meanwhile."""
    inside = (series.t >= stretch.start) & (series.t < stretch.end)
    if stretch.value is None or not inside.any():
        return []
    first, scale = float(series.t[0]), view.time_scale
    since, until = max(stretch.start, first) / scale, stretch.end / scale
    # Figures and the most tokens of a step are those of the whole run.
    meanwhile = replace(
        view,
        figures={},
        step_tokens_max=None,
        step_waits=[step for step in view.step_waits if since <= step.t < until],
        limits={**view.limits, name: stretch.value},
        changes=(),
        records=view.requests,
    )
    return [
        msgspec.structs.replace(
            each,
            verdict=message("advice.until", end=stretch.end, verdict=each.verdict)
            if np.isinf(stretch.start)
            else message("advice.from", start=stretch.start, verdict=each.verdict),
        )
        for each in _whole_run(meanwhile, _part(series, inside), name)
    ]


def _part(series: Series, inside: Bools) -> Series:
    """Return some of the samples."""
    gauges = ("t", "running", "waiting", "in_flight", "held")
    return replace(series, **{name: getattr(series, name)[inside] for name in gauges})


def _by_steps(view: RunView, limit: float) -> Headroom | None:
    """Return the token budget's headroom by the scheduler's own reasons; None: steps weren't recorded."""
    if not view.step_waits:
        return None
    count = sum(1 for step in view.step_waits if step.reason == "budget")
    if not count:
        verdict = message("advice.budget_never_waited", name=_BUDGET, value=limit)
        return Headroom(control=_BUDGET, limit=limit, reached=view.step_tokens_max, verdict=verdict)
    share = count / len(view.step_waits)
    verdict = message("advice.budget_waited", name=_BUDGET, value=limit, share=share)
    return Headroom(control=_BUDGET, limit=limit, reached=limit, verdict=verdict)


def _headroom(name: str, limit: float, most: float | None) -> Headroom:
    if most is None:
        verdict = message("advice.reach_unknown", name=name, value=limit)
    elif most >= limit:
        verdict = message("advice.was_reached", name=name, value=limit)
    elif is_near(most, limit):
        verdict = message("advice.nearly_reached", name=name, value=limit, most=most)
    elif most > 1:
        verdict = message("advice.never_reached_lower", name=name, value=limit, most=most)
    else:
        verdict = message("advice.never_reached", name=name, value=limit, most=most)
    return Headroom(control=name, limit=limit, reached=most, verdict=verdict)


def _largest(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.max()) if len(known) else None


def _running(view: RunView, series: Series) -> float | None:
    seen = [value for value in (_largest(series.running), view.figure("running_max")) if value is not None]
    return max(seen) / series.engines if seen else None


def _inside(view: RunView, series: Series) -> float | None:
    del view
    return _largest(series.running + series.waiting)


def _open(view: RunView, series: Series) -> float | None:
    """Return the requests open at once; the limit is reached as soon as it holds one request back."""
    held_back = _largest(series.held)
    if held_back is not None and held_back > 0:
        return view.limit("max_in_flight")
    return _largest(series.in_flight)


def _step_tokens(view: RunView, series: Series) -> float | None:
    del series
    return view.step_tokens_max


_REACHED: dict[str, Callable[[RunView, Series], float | None]] = {
    "max_num_seqs": _running,
    "max_num_active_seqs": _running,
    _BUDGET: _step_tokens,
    "max_num_queued_reqs": _inside,
    "max_in_flight": _open,
}
INERT_UNTIL_REACHED = frozenset(_REACHED) - {_BUDGET}
"""Limits that do nothing until they are reached; a token budget also cuts prompts that are running."""
