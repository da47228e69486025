"""A run's samples as aligned arrays over the run's own seconds: gauges, rates, requests in flight."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.advice.diagnosis.view import RunView
from workbench.results import RequestColumns, Scrapes

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
_RATE_SAMPLES = 4
# Rates are taken over this many scrapes: a second at four a second, so that single steps don't show.
_DEAD_SAMPLES = 10


@dataclass(frozen=True, kw_only=True)
class Series:
    """Arrays of shape (samples,); NaN is unknown. Times are simulated seconds where the run is."""

    t: Floats
    engines: int
    running: Floats
    """Sum over engines."""
    waiting: Floats
    """Sum over engines."""
    deferred: Floats
    """Of those waiting, sum over engines: held back by something else than capacity."""
    kv: Floats
    """Of the fullest engine, 0 to 1."""
    preempted: Floats
    """Since the sample before."""
    rejected: Floats
    """Since the sample before."""
    succeeded: Floats
    """Since the sample before."""
    prompt_rate: Floats
    """Prompt tokens per second; a prompt counts when its first token comes."""
    output_rate: Floats
    """Generated tokens per second."""
    output_tokens: Floats
    """Generated in all, from the first sample."""
    succeeded_total: Floats
    prefix_hit: float | None
    """Share of the looked-up prompt tokens found in the cache, over the run."""
    server_ttft_s: float | None
    """Mean of the server's own TTFT, over the run."""
    in_flight: Floats
    """Sent and not done, by the client's records."""
    held: Floats
    """Due and not released by the client."""
    decoding: Floats
    """Between first and last token."""
    restarted: bool
    """A counter shrank."""

    def __len__(self) -> int:
        return len(self.t)


def series_of(view: RunView) -> Series:
    """Arrays of the samples within the run; the last one before it is kept to subtract from."""
    scale = view.time_scale
    scrapes = Scrapes(view.samples)
    columns = {name: scrapes.column(name) for name in _SUMMED + _COUNTED}
    t = scrapes.times * scale
    requests = view.requests
    kept = _within(t, view.length_s, requests, scale)
    running_totals = {name: columns[name] for name in _COUNTED}
    return Series(
        t=t[kept],
        engines=max(1, len(scrapes.engines())),
        running=columns["running"][kept],
        waiting=columns["waiting"][kept],
        deferred=columns["deferred"][kept],
        kv=_believed(scrapes.column("kv_usage"), columns["running"])[kept],
        preempted=_steps(columns["preemptions"])[kept],
        rejected=_steps(columns["rejected"])[kept],
        succeeded=_steps(columns["succeeded"])[kept],
        prompt_rate=_rate(columns["prompt_tokens"], t)[kept],
        output_rate=_rate(columns["generation_tokens"], t)[kept],
        output_tokens=columns["generation_tokens"][kept],
        succeeded_total=columns["succeeded"][kept],
        prefix_hit=_ratio(columns["prefix_hits"][kept], columns["prefix_queries"][kept]),
        server_ttft_s=_ratio(columns["ttft_sum_s"][kept], columns["ttft_count"][kept]),
        in_flight=_open(requests.sent, requests.done, t, scale)[kept],
        held=_open(requests.due, _either(requests.released, requests.done), t, scale)[kept],
        decoding=_open(requests.first_token, _either(requests.last_token, requests.done), t, scale)[kept],
        restarted=any(bool(np.any(np.diff(total) < 0)) for total in running_totals.values()),
    )


_SUMMED = ("running", "waiting", "deferred")
_COUNTED = (
    "preemptions",
    "rejected",
    "succeeded",
    "prompt_tokens",
    "generation_tokens",
    "prefix_hits",
    "prefix_queries",
    "ttft_sum_s",
    "ttft_count",
)


def _within(t: Floats, length_s: float | None, requests: RequestColumns, scale: float) -> slice:
    """From the last sample before the start to the last one while something was asked of the server."""
    first = max(0, int(np.searchsorted(t, 0.0)) - 1) if np.any(t >= 0) else 0
    if length_s is None:
        return slice(first, len(t))
    ended = requests.done[~np.isnan(requests.done)]
    last_done = float(ended.max()) * scale if len(ended) else 0.0
    end = max(length_s, last_done) + 1e-9
    return slice(first, max(first + 1, int(np.searchsorted(t, end, side="right"))))


def _believed(kv: Floats, running: Floats) -> Floats:
    """Unknown where the gauge never moves off 0 while requests run, as some versions have it."""
    ran = np.count_nonzero(running > 0)
    return np.full(len(kv), np.nan) if ran >= _DEAD_SAMPLES and not np.any(kv > 0) else kv


def _steps(total: Floats) -> Floats:
    """Growth since the sample before; 0 for the first, NaN over a restart."""
    grown = np.diff(total, prepend=total[:1])
    return np.where(grown < 0, np.nan, grown)


def _rate(total: Floats, t: Floats) -> Floats:
    """Growth per second over the last few samples; NaN for the first and over a restart."""
    rate = np.full(len(t), np.nan)
    for index in range(1, len(t)):
        start = max(0, index - _RATE_SAMPLES)
        span = t[index] - t[start]
        if span > 0 and total[index] >= total[start]:
            rate[index] = (total[index] - total[start]) / span
    return rate


def _ratio(part: Floats, whole: Floats) -> float | None:
    if not len(part) or np.isnan([part[0], part[-1], whole[0], whole[-1]]).any():
        return None
    grown = whole[-1] - whole[0]
    if len(part) == 1:
        grown, gained = whole[-1], part[-1]
    else:
        gained = part[-1] - part[0]
    return float(gained / grown) if grown > 0 else None


def _either(first: Floats, second: Floats) -> Floats:
    """The first stamp where it is known, else the second."""
    return np.where(np.isnan(first), second, first)


def _open(starts: Floats, ends: Floats, t: Floats, scale: float) -> Floats:
    """How many requests are between two stamps at each time; NaN where there are no requests at all."""
    if not len(starts):
        return np.full(len(t), np.nan)
    begun = ~np.isnan(starts)
    opened = np.sort(starts[begun]) * scale
    closed = np.sort(ends[begun & ~np.isnan(ends)]) * scale
    counts = np.searchsorted(opened, t, side="right") - np.searchsorted(closed, t, side="right")
    return counts.astype(np.float64)
