"""Curves computed from a stored run's requests, as the conductor computed them during the run."""

import numpy as np
from numpy.typing import NDArray

from ui.language import number_text
from ui.live import RunSeries, RunView
from ui.live.series import CURVE_POINTS, Floats
from workbench.experiments import EndedRequest, RecentRequests
from workbench.results import RequestColumns

RECENT = ("itl_p50_ms", "itl_p95_ms", "queue_ms", "prefill_ms", "outside_ms", "admission_wait_ms")
OF_CLASS = ("ttft_p50_ms", "ttft_p95_ms", *RECENT)


def recent_curves(
    requests: RequestColumns,
    times: Floats,
    scale: float,
    window_s: float,
    names: tuple[str, ...] = RECENT,
) -> dict[str, Floats]:
    """Return the columns `names` at `times` (wall seconds, ascending); NaN for unknown values.

    At most about twice `CURVE_POINTS` of the times get values: a plot shows no more.
    """
    curves = {name: np.full(len(times), np.nan) for name in names}
    completed = np.flatnonzero(requests.of_outcome("completed") & ~np.isnan(requests.done))
    order = completed[np.argsort(requests.done[completed])]
    done = requests.done[order]
    recent, at = RecentRequests(window_s), 0
    for place in range(0, len(times), max(1, len(times) // CURVE_POINTS)):
        upto = int(np.searchsorted(done, times[place], side="right"))
        for index in order[at:upto]:
            recent.add(_ended(requests, int(index)))
        at = upto
        figures = recent.figures(float(times[place]), scale)
        for name in names:
            value = getattr(figures, name)
            curves[name][place] = np.nan if value is None else value
    return curves


def fill_classes(
    run: RunView, requests: RequestColumns, times: Floats, scale: float, window_s: float
) -> None:
    """Fill the run's samples by class, with each class's own latencies; nothing if there is one class."""
    classes = sorted({str(cls) for cls in requests.cls}, key=number_text.by_number)
    whole = {name: run.series.column(name) for name in run.series.columns}
    for cls in classes if len(classes) > 1 else ():
        own = requests.select(np.asarray(requests.cls == cls, dtype=np.bool_))
        curves = recent_curves(own, times, scale, window_s, OF_CLASS)
        series = run.classes.setdefault(cls, RunSeries())
        places = np.searchsorted(run.series.times(), times * scale)
        for at, place in enumerate(places):
            values = [
                _known(curves[name][at] if name in curves else whole[name][place]) for name in series.columns
            ]
            series.append_values(float(times[at] * scale), values)


def _ended(requests: RequestColumns, index: int) -> EndedRequest:
    return EndedRequest(
        done=float(requests.done[index]),
        gaps_ms=requests.gaps_ms[index],
        gap_tokens=requests.gap_tokens[index],
        ttft_ms=_known((requests.first_token[index] - requests.due[index]) * 1000),
        queue_ms=_known(requests.queue_ms[index]),
        prefill_ms=_known(requests.prefill_ms[index]),
        admission_wait_ms=_known((requests.released[index] - requests.due[index]) * 1000),
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def rate_curves(requests: RequestColumns, times: Floats, scale: float, window_s: float) -> dict[str, Floats]:
    """Return the requests per second that were due, completed or rejected in the window before each time."""
    return {
        "offered_rps": _rate(requests.due, times, scale, window_s),
        "completed_rps": _rate(requests.done[requests.of_outcome("completed")], times, scale, window_s),
        "rejected_rps": _rate(requests.done[requests.of_outcome("rejected")], times, scale, window_s),
    }


def client_curves(requests: RequestColumns, times: Floats) -> dict[str, Floats]:
    """Return the requests in flight, held back by the client, and rejected so far."""
    ended = np.fmin(requests.released, requests.done)
    rejected = requests.done[requests.of_outcome("rejected")]
    return {
        "in_flight": _count(requests.sent, times) - _count(requests.done[~np.isnan(requests.sent)], times),
        "held": _count(requests.due, times) - _count(ended, times),
        "rejected": _count(rejected, times),
    }


def _count(stamps: NDArray[np.float64], times: Floats) -> Floats:
    """Return the stamps up to each time; unknown ones never come."""
    return np.searchsorted(np.sort(stamps[~np.isnan(stamps)]), times, side="right").astype(np.float64)


def _rate(stamps: NDArray[np.float64], times: Floats, scale: float, window_s: float) -> Floats:
    ordered = np.sort(stamps)
    starts = np.maximum(times - window_s, 0.0)
    counts = np.searchsorted(ordered, times, side="right") - np.searchsorted(ordered, starts, side="right")
    spans = (times - starts) * scale
    rates: Floats = np.divide(counts, spans, out=np.full(len(times), np.nan), where=spans > 0)
    return rates
