"""A run's samples as aligned arrays over the run's own seconds: gauges, rates, requests in flight."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.advice.diagnosis.figure_text import setting
from workbench.advice.diagnosis.run_view import RunView
from workbench.results import RequestColumns, Sample, Scrapes

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


# Small operations on arrays over a run: what holds around a sample, and for how long.

ENOUGH = 3
"""A state counts when this many samples in a row show it; a single scrape is a snapshot of one step."""


def around(values: Floats, *, largest: bool) -> Floats:
    """The largest (or smallest) of each value and its two neighbours; NaN counts for nothing.

    Gauges are taken after a step's finished requests have left, so a full server shows a free seat at times.
    """
    if not len(values):
        return values
    fill = -np.inf if largest else np.inf
    padded = np.concatenate(([fill], np.where(np.isnan(values), fill, values), [fill]))
    stacked = np.stack((padded[:-2], padded[1:-1], padded[2:]))
    found: Floats = stacked.max(axis=0) if largest else stacked.min(axis=0)
    return np.where(np.isinf(found), np.nan, found)


def runs(mask: Bools) -> list[tuple[int, int]]:
    """First and one-past-last index of each stretch of True."""
    padded = np.concatenate(([False], mask, [False])).astype(np.int8)
    edges = np.flatnonzero(np.diff(padded))
    return [(int(first), int(last)) for first, last in zip(edges[::2], edges[1::2], strict=True)]


def lasting(mask: Bools) -> Bools:
    """The mask without stretches of fewer than three samples."""
    kept = np.zeros(len(mask), dtype=np.bool_)
    for first, last in runs(mask):
        if last - first >= ENOUGH:
            kept[first:last] = True
    return kept


def above(values: Floats, bound: float) -> Bools:
    """Where the value is known and above."""
    with np.errstate(invalid="ignore"):
        found: Bools = np.asarray(values > bound, dtype=np.bool_)
    return found


def at_least(values: Floats, bound: float | Floats) -> Bools:
    """Where the value and its bound are known and it is not below."""
    with np.errstate(invalid="ignore"):
        found: Bools = np.asarray(values >= bound, dtype=np.bool_)
    return found


def durations(t: Floats) -> Floats:
    """Seconds that each sample stands for: half of the time to each neighbour."""
    if len(t) < 2:
        return np.zeros(len(t))
    middles = (t[1:] + t[:-1]) / 2
    edges = np.concatenate(([t[0]], middles, [t[-1]]))
    spans: Floats = np.diff(edges)
    return spans


def recent_sum(values: Floats, samples: int) -> Floats:
    """Sum over each value and the ones before it, `samples` in all; unknown ones count as 0."""
    total = np.concatenate(([0.0], np.cumsum(np.nan_to_num(values))))
    ends = np.arange(1, len(values) + 1)
    summed: Floats = total[ends] - total[np.maximum(0, ends - samples)]
    return summed


# Samples from the line that vLLM logs every ten seconds, where nothing but the log is at hand.

_LINE = re.compile(
    r"Avg prompt throughput: (?P<prompt>[\d.]+) tokens/s,"
    r" Avg generation throughput: (?P<output>[\d.]+) tokens/s,"
    r" Running: (?P<running>\d+) reqs,(?: Swapped: \d+ reqs,)? (?:Waiting|Pending): (?P<waiting>\d+) reqs,"
    r"(?:.*?Preemptions: (?P<preempted>\d+),?)?.*?(?:GPU )?KV cache usage: (?P<kv>[\d.]+)%"
)
_TIME = re.compile(r"(?P<day>\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d)")
_ENGINE = re.compile(r"Engine (\d+):")
_INTERVAL_S = 10.0
# VLLM_LOG_STATS_INTERVAL's default.


def read_stats_lines(lines: Iterable[str]) -> list[Sample]:
    """One sample a line, wording of 0.4 to 0.32; other lines are passed over.

    Rates become running totals, so that differences over any window are right. A line without a time comes
    ten seconds after the one before.
    """
    taken: list[Sample] = []
    latest: dict[str, Sample] = {}
    start: datetime | None = None
    for line in lines:
        found = _LINE.search(line)
        if found is None:
            continue
        engine = _engine(line)
        before = latest.get(engine)
        moment = _moment(line)
        start = start or moment
        t = before.t + _INTERVAL_S if before else 0.0
        if moment is not None and start is not None:
            t = (moment - start).total_seconds()
        sample = _sample(found, engine, t, before)
        latest[engine] = sample
        taken.append(sample)
    return taken


def _engine(line: str) -> str:
    found = _ENGINE.search(line)
    return str(int(found[1])) if found else "0"


def _moment(line: str) -> datetime | None:
    found = _TIME.search(line)
    # The line has no year; only differences are used, and a leap year holds all days.
    if found is None:
        return None
    return datetime.strptime(f"2024-{found['day']} {found['time']} +0000", "%Y-%m-%d %H:%M:%S %z")


def _sample(found: re.Match[str], engine: str, t: float, before: Sample | None) -> Sample:
    last = before or Sample(t=t, prompt_tokens=0.0, generation_tokens=0.0, preemptions=0.0)
    elapsed = t - last.t
    return Sample(
        t=t,
        engine=engine,
        running=float(found["running"]),
        waiting=float(found["waiting"]),
        kv_usage=float(found["kv"]) / 100,
        prompt_tokens=(last.prompt_tokens or 0.0) + float(found["prompt"]) * elapsed,
        generation_tokens=(last.generation_tokens or 0.0) + float(found["output"]) * elapsed,
        preemptions=(last.preemptions or 0.0) + float(found["preempted"] or 0),
    )


# Limits as they held at each moment: step functions over the run, for some are changed while it goes on.


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
