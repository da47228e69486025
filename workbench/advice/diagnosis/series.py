"""Samples of a run as aligned arrays: gauges, rates, requests in flight."""

from dataclasses import dataclass

import numpy as np

from workbench.advice.diagnosis.array_operations import Floats
from workbench.advice.diagnosis.run_view import RunView
from workbench.results import RequestColumns, Scrapes

_RATE_SAMPLES = 4
"""Scrapes that a rate spans: one second, so that single steps don't show."""
_DEAD_SAMPLES = 10


@dataclass(frozen=True, kw_only=True)
class EngineSeries:
    """The same for each engine: arrays of shape (engines, samples); NaN is unknown."""

    names: tuple[str, ...]
    running: Floats
    waiting: Floats
    deferred: Floats
    kv: Floats
    succeeded: Floats
    """Totals, as those below."""
    prompt_tokens: Floats
    generation_tokens: Floats
    prefix_hits: Floats
    prefix_queries: Floats


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
    """Waiting requests that something other than capacity holds back, sum over engines."""
    kv: Floats
    """KV-cache usage of the fullest engine, 0 to 1."""
    preempted: Floats
    """Since the sample before."""
    rejected: Floats
    """Since the sample before."""
    succeeded: Floats
    """Since the sample before."""
    prompt_rate: Floats
    """Prompt tokens per second; a prompt counts at its first token."""
    output_rate: Floats
    """Generated tokens per second."""
    output_tokens: Floats
    """Tokens generated since the first sample."""
    succeeded_total: Floats
    prefix_hit: float | None
    """Share of the looked-up prompt tokens found in the cache, over the run."""
    server_ttft_s: float | None
    """Mean of the server's own TTFT, over the run."""
    in_flight: Floats
    """Requests sent and not done, by the client's records."""
    held: Floats
    """Requests due and not released by the client."""
    decoding: Floats
    """Requests between their first and last token."""
    by_engine: EngineSeries | None = None
    """Each engine; None with one."""
    restarted: bool
    """A counter shrank, so the server restarted."""

    def __len__(self) -> int:
        return len(self.t)


def series_of(view: RunView) -> Series:
    """Return the samples within the run, and the last one before it to subtract from."""
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
        preempted=growth(columns["preemptions"])[kept],
        rejected=growth(columns["rejected"])[kept],
        succeeded=growth(columns["succeeded"])[kept],
        prompt_rate=_rate(columns["prompt_tokens"], t)[kept],
        output_rate=_rate(columns["generation_tokens"], t)[kept],
        output_tokens=columns["generation_tokens"][kept],
        succeeded_total=columns["succeeded"][kept],
        prefix_hit=_ratio(columns["prefix_hits"][kept], columns["prefix_queries"][kept]),
        server_ttft_s=_ratio(columns["ttft_sum_s"][kept], columns["ttft_count"][kept]),
        in_flight=_open(requests.sent, requests.done, t, scale)[kept],
        held=_open(requests.due, _either(requests.released, requests.done), t, scale)[kept],
        decoding=_open(requests.first_token, _either(requests.last_token, requests.done), t, scale)[kept],
        by_engine=_engine_series(scrapes, kept),
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


def _engine_series(scrapes: Scrapes, kept: slice) -> EngineSeries | None:
    names = scrapes.engines()
    if len(names) < 2:
        return None

    def rows(field: str) -> Floats:
        return np.array(list(scrapes.by_engine(field).values()))[:, kept]

    return EngineSeries(
        names=names,
        running=rows("running"),
        waiting=rows("waiting"),
        deferred=rows("deferred"),
        kv=rows("kv_usage"),
        succeeded=rows("succeeded"),
        prompt_tokens=rows("prompt_tokens"),
        generation_tokens=rows("generation_tokens"),
        prefix_hits=rows("prefix_hits"),
        prefix_queries=rows("prefix_queries"),
    )


def _within(t: Floats, length_s: float | None, requests: RequestColumns, scale: float) -> slice:
    """Return the samples from the last one before the start to the last one with open requests."""
    first = max(0, int(np.searchsorted(t, 0.0)) - 1) if np.any(t >= 0) else 0
    if length_s is None:
        return slice(first, len(t))
    ended = requests.done[~np.isnan(requests.done)]
    last_done = float(ended.max()) * scale if len(ended) else 0.0
    end = max(length_s, last_done) + 1e-9
    return slice(first, max(first + 1, int(np.searchsorted(t, end, side="right"))))


def _believed(kv: Floats, running: Floats) -> Floats:
    """Return NaN for a KV gauge that stays at 0 while requests run, as in some versions."""
    ran = np.count_nonzero(running > 0)
    return np.full(len(kv), np.nan) if ran >= _DEAD_SAMPLES and not np.any(kv > 0) else kv


def growth(total: Floats) -> Floats:
    """Return the growth since the previous sample; 0 for the first, NaN over a restart."""
    grown = np.diff(total, prepend=total[:1])
    return np.where(grown < 0, np.nan, grown)


def _rate(total: Floats, t: Floats) -> Floats:
    """Return the growth per second over the last few samples; NaN for the first and over a restart."""
    starts = np.maximum(0, np.arange(len(t)) - _RATE_SAMPLES)
    spans, grown = t - t[starts], total - total[starts]
    with np.errstate(invalid="ignore", divide="ignore"):
        rate: Floats = np.where((spans > 0) & (grown >= 0), grown / spans, np.nan)
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
    """Return the first stamp if known, else the second."""
    return np.where(np.isnan(first), second, first)


def _open(starts: Floats, ends: Floats, t: Floats, scale: float) -> Floats:
    """Count the requests between two stamps at each time; NaN without any requests."""
    if not len(starts):
        return np.full(len(t), np.nan)
    begun = ~np.isnan(starts)
    opened = np.sort(starts[begun]) * scale
    closed = np.sort(ends[begun & ~np.isnan(ends)]) * scale
    counts = np.searchsorted(opened, t, side="right") - np.searchsorted(closed, t, side="right")
    return counts.astype(np.float64)
