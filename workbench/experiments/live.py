"""The live picture: the load's snapshots and the server's samples, four times a second, as one event."""

from collections import deque
from collections.abc import Sequence

import numpy as np

from workbench.experiments.events import SampleTaken
from workbench.experiments.recent import RecentRequests
from workbench.experiments.scrapes import RecentScrapes, change_between
from workbench.results import LoadSnapshot, RequestRecord, Sample, over_engines

STALE_S = 2.0
"""Wall seconds after which a scrape no longer tells what the server does."""
WINDOW_S = 5.0
"""Seconds of first tokens and completions that the live percentiles and rates look back on, wall time."""


class LivePicture:
    """Collects what both sides see of one run and turns it into `sample` events in simulated seconds."""

    def __init__(self, run: str, time_scale: float) -> None:
        self._run = run
        self._scale = time_scale
        self._snapshot: LoadSnapshot | None = None
        self._history: deque[LoadSnapshot] = deque()
        self._ttfts: deque[tuple[float, float]] = deque()
        self._recent = RecentRequests(WINDOW_S)
        self._first: dict[str, Sample] = {}
        self._previous: dict[str, Sample] = {}
        self._latest: dict[str, Sample] = {}
        self._scrapes = RecentScrapes()

    def take_snapshot(self, snapshot: LoadSnapshot) -> None:
        """Take the load generator's view."""
        self._snapshot = snapshot
        self._history.append(snapshot)
        while self._history[0].t < snapshot.t - WINDOW_S:
            self._history.popleft()
        self._ttfts.extend((snapshot.t, value) for value in snapshot.recent_ttft_ms)
        while self._ttfts and self._ttfts[0][0] < snapshot.t - WINDOW_S:
            self._ttfts.popleft()

    def take_records(self, records: Sequence[RequestRecord]) -> None:
        """Take requests that have ended."""
        self._recent.take(records)

    def take_samples(self, samples: Sequence[Sample]) -> None:
        """Take one scrape, a sample an engine."""
        self._previous = self._latest or {sample.engine: sample for sample in samples}
        self._latest = {sample.engine: sample for sample in samples}
        self._scrapes.take(self._latest)
        for sample in samples:
            self._first.setdefault(sample.engine, sample)

    def event(self, run_t: float) -> SampleTaken:
        """The picture at `run_t` wall seconds after the schedule's start."""
        snapshot = self._snapshot
        self._forget_stale(run_t)
        ttfts = np.array([value for _, value in self._ttfts]) * self._scale
        recent = self._recent.figures(run_t, self._scale)
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
            rejected_rps=_rounded(self._load_rate("rejected")),
            classes={
                cls: {name: _rounded(value) for name, value in figures._asdict().items()}
                for cls, figures in self._recent.by_class(run_t, self._scale).items()
            },
        )

    def _forget_stale(self, run_t: float) -> None:
        """Drop the last scrape where none came for some time: the server's figures are unknown then."""
        latest = max((sample.t for sample in self._latest.values()), default=run_t)
        if run_t - latest > STALE_S:
            self._latest, self._previous, self._scrapes = {}, {}, RecentScrapes()

    def _oldest(self) -> float | None:
        if self._snapshot is None or self._snapshot.oldest_waiting_s is None:
            return None
        return self._snapshot.oldest_waiting_s * self._scale

    def _change(self, field: str, since: dict[str, Sample]) -> float | None:
        return change_between(since, self._latest, field)

    def _since_first(self, field: str) -> float | None:
        return self._change(field, self._first)

    def _queue_ms(self) -> float | None:
        # The server's histogram is in its own seconds, which the embedded engine has scaled already.
        total, count = (
            self._change("queue_sum_s", self._previous),
            self._change("queue_count", self._previous),
        )
        return total / count * 1000 if total is not None and count else None

    def _load_rate(self, field: str) -> float | None:
        if len(self._history) < 2:
            return None
        first, last = self._history[0], self._history[-1]
        elapsed = (last.t - first.t) * self._scale
        if elapsed <= 0:
            return None
        return float(getattr(last, field) - getattr(first, field)) / elapsed


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 3)
