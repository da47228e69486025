"""Limits that the run never came near: what can't matter here."""

from collections.abc import Callable

import numpy as np

from workbench.advice.diagnosis.records import Reach
from workbench.advice.diagnosis.series import Floats, Series
from workbench.advice.diagnosis.view import RunView
from workbench.advice.diagnosis.words import number, percent

_NEAR = 0.9


def reaches_of(view: RunView, series: Series) -> list[Reach]:
    """One for each limit in force that is known, reached or not."""
    found = []
    for name, most in _SEEN.items():
        limit = view.limit(name)
        if limit is None:
            continue
        by_steps = _budget(view, limit) if name == "max_num_batched_tokens" else None
        found.append(by_steps or _reach(name, limit, most(view, series)))
    peak = _largest(series.kv)
    if peak is not None and peak < _NEAR:
        verdict = f"The KV cache was never full (at most {percent(peak)}): more of it can't matter here."
        found.append(Reach(control="kv_cache", limit=1.0, reached=peak, verdict=verdict))
    return found


def _budget(view: RunView, limit: float) -> Reach | None:
    """From the scheduler's own reasons; None where steps weren't recorded."""
    if not view.step_waits:
        return None
    name = "max_num_batched_tokens"
    kept = sum(1 for step in view.step_waits if step.reason == "budget")
    if not kept:
        verdict = f"{name} {number(limit)} never kept a request waiting: raising it can't matter here."
        return Reach(control=name, limit=limit, reached=view.step_tokens_max, verdict=verdict)
    share = percent(kept / len(view.step_waits))
    verdict = f"{name} {number(limit)} kept requests waiting in {share} of the steps."
    return Reach(control=name, limit=limit, reached=limit, verdict=verdict)


def _reach(name: str, limit: float, most: float | None) -> Reach:
    if most is None:
        verdict = f"{name} {number(limit)}: whether it was reached can't be seen from here."
    elif most >= limit:
        verdict = f"{name} {number(limit)} was reached."
    elif most > _NEAR * limit or limit - most < 2:
        verdict = f"{name} {number(limit)} was nearly reached (at most {number(most)} seen)."
    else:
        verdict = (
            f"{name} {number(limit)} was never reached (at most {number(most)}):"
            f" raising it can't matter here, lowering it only below {number(most)}."
        )
    return Reach(control=name, limit=limit, reached=most, verdict=verdict)


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
    """The client's cap is reached as soon as it holds one request back."""
    held = _largest(series.held)
    if held is not None and held > 0:
        return view.limit("max_in_flight")
    return _largest(series.in_flight)


def _step_tokens(view: RunView, series: Series) -> float | None:
    del series
    return view.step_tokens_max


_SEEN: dict[str, Callable[[RunView, Series], float | None]] = {
    "max_num_seqs": _running,
    "max_num_active_seqs": _running,
    "max_num_batched_tokens": _step_tokens,
    "max_num_queued_reqs": _inside,
    "max_in_flight": _open,
}
