"""Limits that the run never came near: what can't matter here."""

from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np

from workbench.advice.diagnosis.figure_text import number, percent, setting
from workbench.advice.diagnosis.findings import NEAR, Reach
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.sample_arrays import Bools, Floats, Held, Series, held


def reaches_of(view: RunView, series: Series) -> list[Reach]:
    """One for each limit in force that is known, reached or not."""
    found = []
    for name in _SEEN:
        stretches = held(view, name)
        if len(stretches) == 1:
            found += _whole_run(view, series, name)
        else:
            found += [reach for stretch in stretches for reach in _stretch(view, series, name, stretch)]
    peak = _largest(series.kv)
    if peak is not None and peak < NEAR:
        verdict = f"The KV cache was never full (at most {percent(peak)}): more of it can't matter here."
        found.append(Reach(control="kv_cache", limit=1.0, reached=peak, verdict=verdict))
    return found


def _whole_run(view: RunView, series: Series, name: str) -> list[Reach]:
    """Of a limit that one value had all the while; none where it isn't known."""
    limit = view.limit(name)
    if limit is None:
        return []
    by_steps = _budget(view, limit) if name == "max_num_batched_tokens" else None
    return [by_steps or _reach(name, limit, _SEEN[name](view, series))]


def _stretch(view: RunView, series: Series, name: str, stretch: Held) -> list[Reach]:
    """Of one value that held for a part of the run, from what was seen meanwhile."""
    inside = (series.t >= stretch.start) & (series.t < stretch.end)
    if stretch.value is None or not inside.any():
        return []
    first, scale = float(series.t[0]), view.time_scale
    since, until = max(stretch.start, first) / scale, stretch.end / scale
    # Figures are the whole run's, and the most tokens of a step too.
    meanwhile = replace(
        view,
        figures={},
        step_tokens_max=None,
        step_waits=[step for step in view.step_waits if since <= step.t < until],
        limits={**view.limits, name: stretch.value},
        changes=(),
        records=view.requests,
    )
    when = f"Until {stretch.end:.1f} s" if np.isinf(stretch.start) else f"From {stretch.start:.1f} s"
    return [
        msgspec.structs.replace(reach, verdict=f"{when}: {reach.verdict}")
        for reach in _whole_run(meanwhile, _part(series, inside), name)
    ]


def _part(series: Series, inside: Bools) -> Series:
    """Some of the samples."""
    gauges = ("t", "running", "waiting", "in_flight", "held")
    return replace(series, **{name: getattr(series, name)[inside] for name in gauges})


def _budget(view: RunView, limit: float) -> Reach | None:
    """From the scheduler's own reasons; None where steps weren't recorded."""
    if not view.step_waits:
        return None
    name = "max_num_batched_tokens"
    kept = sum(1 for step in view.step_waits if step.reason == "budget")
    if not kept:
        verdict = f"{name} {setting(limit)} never kept a request waiting: raising it can't matter here."
        return Reach(control=name, limit=limit, reached=view.step_tokens_max, verdict=verdict)
    share = percent(kept / len(view.step_waits))
    verdict = f"{name} {setting(limit)} kept requests waiting in {share} of the steps."
    return Reach(control=name, limit=limit, reached=limit, verdict=verdict)


def _reach(name: str, limit: float, most: float | None) -> Reach:
    reach = Reach(control=name, limit=limit, reached=most, verdict="")
    if most is None:
        verdict = f"{name} {setting(limit)}: whether it was reached can't be seen from here."
    elif most >= limit:
        verdict = f"{name} {setting(limit)} was reached."
    elif reach.near:
        verdict = f"{name} {setting(limit)} was nearly reached (at most {number(most)} seen)."
    else:
        lower = f", lowering it only below {setting(most)}" if most > 1 else ""
        seen = f"{name} {setting(limit)} was never reached (at most {number(most)})"
        verdict = f"{seen}: raising it can't matter here{lower}."
    return msgspec.structs.replace(reach, verdict=verdict)


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
CAPS = frozenset(_SEEN) - {"max_num_batched_tokens"}
"""Limits that do nothing while they aren't reached; a token budget also cuts prompts that are running."""
