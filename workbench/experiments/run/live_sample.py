"""Live samples: the load's snapshots and the server's scrapes as one event, four times a second."""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from workbench.experiments.run.events import EngineSample, SampleTaken
from workbench.results import (
    LoadSnapshot,
    Outcome,
    RequestRecord,
    Sample,
    imbalance_over_time,
    over_engines,
    request_token_gaps,
)

# The requests that finished in the last seconds: their token gaps and TTFT for the live plots.


class RecentFigures(NamedTuple):
    """Milliseconds, simulated in a simulated run. None without data."""

    ttft_p50_ms: float | None = None
    ttft_p95_ms: float | None = None
    itl_p50_ms: float | None = None
    itl_p95_ms: float | None = None
    queue_ms: float | None = None
    prefill_ms: float | None = None
    outside_ms: float | None = None
    admission_wait_ms: float | None = None


class EndedRequest(NamedTuple):
    """The parts of a completed request that live figures need; stamps and gaps in wall time."""

    done: float
    """Seconds since the schedule's start."""
    gaps_ms: bytes
    gap_tokens: bytes
    """As in `RequestRecord`, like `gaps_ms`."""
    ttft_ms: float | None
    queue_ms: float | None
    """As the server reports it for this request, like `prefill_ms`."""
    prefill_ms: float | None
    cls: str = ""
    admission_wait_ms: float | None = None
    """Wait from due until the client's cap on open requests let it pass."""


_Kept = tuple[EndedRequest, NDArray[np.float64]]


class RecentRequests:
    """Completed requests that ended at most `window_s` wall seconds ago."""

    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._ended: deque[_Kept] = deque()
        self._classes: dict[str, None] = {}

    def add_records(self, records: Sequence[RequestRecord]) -> None:
        """Add requests that have ended; skip those that did not complete."""
        for record in records:
            if record.outcome is Outcome.COMPLETED and record.done is not None:
                ttft = None if record.first_token is None else (record.first_token - record.due) * 1000
                held = None if record.released is None else (record.released - record.due) * 1000
                self.add(
                    EndedRequest(
                        record.done,
                        record.gaps_ms,
                        record.gap_tokens,
                        ttft,
                        record.queue_ms,
                        record.prefill_ms,
                        record.cls,
                        held,
                    )
                )

    def add(self, ended: EndedRequest) -> None:
        """Add one request."""
        self._ended.append((ended, request_token_gaps(ended.gaps_ms, ended.gap_tokens)))

    def figures(self, run_t: float, scale: float) -> RecentFigures:
        """Return the figures at `run_t` wall seconds; client times are multiplied by `scale`."""
        self._forget(run_t)
        return _figures(self._ended, scale)

    def by_class(self, run_t: float, scale: float) -> dict[str, RecentFigures]:
        """Return the figures of each class with finished requests; empty with a single class."""
        self._forget(run_t)
        self._classes.update(dict.fromkeys(ended.cls for ended, _ in self._ended))
        if len(self._classes) < 2:
            return {}
        return {
            cls: _figures([each for each in self._ended if each[0].cls == cls], scale)
            for cls in self._classes
        }

    def _forget(self, run_t: float) -> None:
        while self._ended and self._ended[0][0].done < run_t - self._window_s:
            self._ended.popleft()


def _figures(kept: Collection[_Kept], scale: float) -> RecentFigures:
    parts = [
        (
            ended.queue_ms,
            ended.prefill_ms,
            (ended.ttft_ms - (ended.admission_wait_ms or 0.0)) * scale - ended.queue_ms - ended.prefill_ms,
        )
        for ended, _ in kept
        if ended.ttft_ms is not None and ended.queue_ms is not None and ended.prefill_ms is not None
    ]
    queue, prefill, outside = np.mean(parts, axis=0) if parts else (None, None, None)
    ttft = _p50_p95([np.array([ended.ttft_ms]) for ended, _ in kept if ended.ttft_ms is not None], scale)
    itl = _p50_p95([values for _, values in kept if len(values)], scale)
    held = [ended.admission_wait_ms * scale for ended, _ in kept if ended.admission_wait_ms is not None]
    admission = float(np.mean(held)) if held else None
    outside = None if outside is None else max(0.0, outside)
    return RecentFigures(*ttft, *itl, queue, prefill, outside, admission)


def _p50_p95(values: list[NDArray[np.float64]], scale: float) -> tuple[float | None, float | None]:
    if not values:
        return None, None
    p50, p95 = np.percentile(np.concatenate(values), [50, 95]) * scale
    return float(p50), float(p95)


# The last scrapes of a server's counters, and the rates between them.

RATE_S = 0.9
"""Shortest time of a rate, in wall seconds.

A late page may be followed at once by the next one; over so short a time a single step's tokens would look
like a spike. With four scrapes a second this makes one second.
"""

Scrape = Mapping[str, Sample]
"""One sample for each engine, by its name."""


class RecentScrapes:
    """The scrapes of the last `span_s` wall seconds, at least two."""

    def __init__(self, span_s: float = RATE_S) -> None:
        self._span_s = span_s
        self._scrapes_kept: deque[Scrape] = deque()

    def add(self, scrape: Scrape) -> None:
        """Add the newest scrape."""
        self._scrapes_kept.append(scrape)
        while len(self._scrapes_kept) > 2 and _between(self._scrapes_kept[1], scrape) >= self._span_s:
            self._scrapes_kept.popleft()

    def rate(self, field: str, scale: float) -> float | None:
        """Return the growth of a counter of `Sample` per second; a wall second has `scale` seconds."""
        if len(self._scrapes_kept) < 2:
            return None
        first, last = self._scrapes_kept[0], self._scrapes_kept[-1]
        change, elapsed = change_between(first, last, field), _between(first, last) * scale
        # A counter that fell belongs to a restarted server.
        return change / elapsed if change is not None and change >= 0 and elapsed > 0 else None

    def mean_ms(self, total: str, count: str) -> float | None:
        """Return the mean of what a histogram of the server counted meanwhile; None if it counted nothing.

        The embedded engine's histograms are in simulated seconds already.
        """
        if len(self._scrapes_kept) < 2:
            return None
        first, last = self._scrapes_kept[0], self._scrapes_kept[-1]
        grown, counted = change_between(first, last, total), change_between(first, last, count)
        # A counter that fell belongs to a restarted server.
        return (
            grown / counted * 1000 if grown is not None and grown >= 0 and counted and counted > 0 else None
        )


def server_means(scrapes: RecentScrapes) -> dict[str, float | None]:
    """Return the latencies of `sample` events by the server's own histograms, for a watch."""
    return {
        "server_ttft_ms": scrapes.mean_ms("ttft_sum_s", "ttft_count"),
        "server_itl_ms": scrapes.mean_ms("itl_sum_s", "itl_count"),
    }


def change_between(before: Scrape, after: Scrape, field: str) -> float | None:
    """Return the growth of a counter, summed over the engines known in both scrapes; None without one."""
    changes = []
    for engine, sample in after.items():
        begun, ended = getattr(before.get(engine, sample), field), getattr(sample, field)
        if begun is not None and ended is not None:
            changes.append(ended - begun)
    return sum(changes) if changes else None


def _between(before: Scrape, after: Scrape) -> float:
    """Return the wall seconds between two scrapes; 0 if one is empty."""
    begun = min((sample.t for sample in before.values()), default=None)
    ended = min((sample.t for sample in after.values()), default=None)
    return 0.0 if begun is None or ended is None else ended - begun


class _ByEngine(TypedDict, total=False):
    """The fields of a sample event that tell engines apart."""

    waiting_imbalance: float | None
    request_imbalance: float | None
    kv_imbalance: float | None
    engines: dict[str, EngineSample]


def _row(values: Sequence[float | None]) -> NDArray[np.float64]:
    """Return one scrape's values, shape (engines, 1); NaN: unknown."""
    return np.array([values], dtype=np.float64).T


STALE_S = 2.0
"""Wall seconds after which a scrape no longer describes the server."""
WINDOW_S = 5.0
"""Wall seconds that the live percentiles and rates look back."""


class SampleBuilder:
    """Collects load and server samples of one run and makes `sample` events in simulated seconds."""

    def __init__(self, run: str, time_scale: float) -> None:
        self._run = run
        self._scale = time_scale
        self._snapshot: LoadSnapshot | None = None
        self._history: deque[LoadSnapshot] = deque()
        self._ttfts: deque[tuple[float, float]] = deque()
        self._recent = RecentRequests(WINDOW_S)
        self._first: dict[str, Sample] = {}
        self._finished_before: dict[str, float] = {}
        """Requests that each engine had finished when the run began."""
        self._previous: dict[str, Sample] = {}
        self._latest: dict[str, Sample] = {}
        self._scrapes = RecentScrapes()
        self._window = RecentScrapes(WINDOW_S)

    def add_snapshot(self, snapshot: LoadSnapshot) -> None:
        """Add a snapshot of the load generator."""
        self._snapshot = snapshot
        self._history.append(snapshot)
        while self._history[0].t < snapshot.t - WINDOW_S:
            self._history.popleft()
        self._ttfts.extend((snapshot.t, value) for value in snapshot.recent_ttft_ms)
        while self._ttfts and self._ttfts[0][0] < snapshot.t - WINDOW_S:
            self._ttfts.popleft()

    def add_records(self, records: Sequence[RequestRecord]) -> None:
        """Add requests that have ended."""
        self._recent.add_records(records)

    def add_samples(self, samples: Sequence[Sample]) -> None:
        """Add one scrape, with a sample for each engine."""
        self._previous = self._latest or {sample.engine: sample for sample in samples}
        self._latest = {sample.engine: sample for sample in samples}
        self._scrapes.add(self._latest)
        self._window.add(self._latest)
        for sample in samples:
            self._first.setdefault(sample.engine, sample)
            if sample.succeeded is not None:
                self._finished_before.setdefault(sample.engine, sample.succeeded)

    def event(self, run_t: float) -> SampleTaken:
        """Return the event at `run_t` wall seconds after the schedule's start."""
        snapshot = self._snapshot
        self._forget_stale(run_t)
        ttfts = np.array([value for _, value in self._ttfts]) * self._scale
        recent = self._recent.figures(run_t, self._scale)
        means = self._server_means()
        p50, p95 = np.percentile(ttfts, [50, 95]) if len(ttfts) else (None, None)
        return SampleTaken(
            run=self._run,
            run_t=round(run_t * self._scale, 3),
            running=over_engines(self._latest.values(), "running"),
            waiting=over_engines(self._latest.values(), "waiting"),
            kv_usage=over_engines(self._latest.values(), "kv_usage"),
            ttft_p50_ms=_rounded(p50),
            ttft_p95_ms=_rounded(p95),
            oldest_waiting_s=_rounded(self._oldest()),
            queue_ms=_rounded(self._queue_ms() if recent.queue_ms is None else recent.queue_ms),
            input_tok_s=_rounded(self._scrapes.rate("prompt_tokens", self._scale)),
            output_tok_s=_rounded(self._scrapes.rate("generation_tokens", self._scale)),
            preemptions=self._since_first("preemptions"),
            offered_rps=_rounded(self._load_rate("due")),
            completed_rps=_rounded(self._load_rate("completed")),
            in_flight=snapshot.in_flight if snapshot else None,
            completed=snapshot.completed if snapshot else None,
            failed=snapshot.failed if snapshot else None,
            rejected=snapshot.rejected if snapshot else None,
            client_delay_p99_ms=_rounded(snapshot.client_delay_p99_ms) if snapshot else None,
            itl_p50_ms=_rounded(recent.itl_p50_ms),
            itl_p95_ms=_rounded(recent.itl_p95_ms),
            prefill_ms=_rounded(recent.prefill_ms),
            outside_ms=_rounded(recent.outside_ms),
            admission_wait_ms=_rounded(recent.admission_wait_ms),
            held=None if snapshot is None else held_by_client(snapshot),
            rejected_rps=_rounded(self._rejected_rate()),
            server_ttft_ms=means.get("server_ttft_ms"),
            server_itl_ms=means.get("server_itl_ms"),
            classes={
                cls: {name: _rounded(value) for name, value in figures._asdict().items()}
                for cls, figures in self._recent.by_class(run_t, self._scale).items()
            },
            **self._by_engine(),
        )

    def _by_engine(self) -> "_ByEngine":
        """Return the engines' own values and their imbalance, if there are several."""
        if len(self._latest) < 2:
            return {}
        samples = self._latest.values()
        finished = [
            (self._finished_before.get(sample.engine), sample.succeeded) for sample in samples
        ]  # before the run, and now
        between = imbalance_over_time(
            _row([sample.waiting for sample in samples]),
            np.array(finished, dtype=np.float64),
            _row([sample.kv_usage for sample in samples]),
        ).overall(np.ones(1))
        return _ByEngine(
            waiting_imbalance=_rounded(between.waiting),
            request_imbalance=_rounded(between.requests),
            kv_imbalance=_rounded(between.kv),
            engines={
                sample.engine: EngineSample(
                    running=sample.running, waiting=sample.waiting, kv_usage=sample.kv_usage
                )
                for sample in samples
            },
        )

    def _forget_stale(self, run_t: float) -> None:
        """Drop an old scrape: the server's figures are then unknown."""
        latest = max((sample.t for sample in self._latest.values()), default=run_t)
        if run_t - latest > STALE_S:
            self._latest, self._previous, self._scrapes = {}, {}, RecentScrapes()
            self._window = RecentScrapes(WINDOW_S)

    def _oldest(self) -> float | None:
        if self._snapshot is None or self._snapshot.oldest_waiting_s is None:
            return None
        return self._snapshot.oldest_waiting_s * self._scale

    def _change(self, field: str, since: dict[str, Sample]) -> float | None:
        return change_between(since, self._latest, field)

    def _since_first(self, field: str) -> float | None:
        return self._change(field, self._first)

    def _queue_ms(self) -> float | None:
        # The server's histogram is in its own seconds, which the embedded engine has already scaled.
        total, count = (
            self._change("queue_sum_s", self._previous),
            self._change("queue_count", self._previous),
        )
        return total / count * 1000 if total is not None and count else None

    def _server_means(self) -> dict[str, float | None]:
        """Return the server's own latencies; none under our load, whose requests are measured."""
        if self._snapshot is not None:
            return {}
        return {name: _rounded(value) for name, value in server_means(self._window).items()}

    def _rejected_rate(self) -> float | None:
        """Return the rejections of our requests a second; without a load of ours, the server's."""
        if self._snapshot is None:
            return self._scrapes.rate("rejected", self._scale)
        return self._load_rate("rejected")

    def _load_rate(self, field: str) -> float | None:
        if len(self._history) < 2:
            return None
        first, last = self._history[0], self._history[-1]
        elapsed = (last.t - first.t) * self._scale
        if elapsed <= 0:
            return None
        return float(getattr(last, field) - getattr(first, field)) / elapsed


def held_by_client(snapshot: LoadSnapshot) -> int:
    """Return the requests that are due, and that the client's cap on open requests holds back."""
    ended = snapshot.completed + snapshot.failed + snapshot.rejected + snapshot.timed_out + snapshot.cancelled
    return max(0, snapshot.due - snapshot.in_flight - ended)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 3)
