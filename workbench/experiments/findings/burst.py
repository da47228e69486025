"""Findings of a burst: the queue is bounded, requests are rejected, or latency spikes."""

import numpy as np

from workbench.base import Message, Record, message
from workbench.experiments.findings.repeat_groups import duration
from workbench.experiments.spec.tables import Burst
from workbench.results import BenchFile, Objectives, Outcome, RequestColumns, RunEntry
from workbench.results import RunFrame as _Frame

_SPIKE = 2.0
"""Without an objective, twice the normal p95 is a spike."""
_SETTLING = 0.25
"""Share of the time before the burst that fills the empty server."""


class BurstAnswer(Record, frozen=True, kw_only=True):
    """Figures of one run, in milliseconds and seconds of the load."""

    run: str
    before_ms: float
    """p95 TTFT of the requests due before the burst."""
    during_ms: float
    """p95 TTFT of the requests due during the burst."""
    limit_ms: float
    rejected: int
    waiting_max: float | None
    recovered_s: float | None
    """Time from the burst's end until TTFT stays within the limit; None if the run ended first."""

    @property
    def verdict(self) -> Message:
        """The queue is bounded, or the burst is absorbed, or latency spikes."""
        if self.rejected:
            return message("experiments.burst_bounded")
        if self.during_ms <= self.limit_ms:
            return message("experiments.burst_absorbed")
        if self.recovered_s is None:
            return message("experiments.burst_unbounded")
        return message("experiments.burst_spike")

    def finding(self, burst: Burst) -> Message:
        """Return the verdict with its figures."""
        figures = [
            message("experiments.burst_ttft_before", value=duration(self.before_ms)),
            message("experiments.burst_ttft_during", value=duration(self.during_ms)),
            message("experiments.burst_not_recovered")
            if self.recovered_s is None
            else message("experiments.burst_recovered", seconds=self.recovered_s),
        ]
        if self.waiting_max is not None:
            figures.append(message("experiments.burst_waiting", count=self.waiting_max))
        figures.append(message("experiments.burst_rejected", count=self.rejected))
        return message(
            "experiments.burst",
            run=self.run,
            factor=burst.factor,
            seconds=burst.seconds,
            verdict=self.verdict,
            figures=figures,
        )


def burst_findings(bench: BenchFile, burst: Burst, objectives: Objectives) -> list[Message]:
    """Return one finding for each run that ended as planned."""
    found = []
    for run in bench.runs():
        answer = burst_answer(bench, run, burst, objectives.ttft_p95_ms) if run.status == "done" else None
        if answer is not None:
            found.append(answer.finding(burst))
    return found


def burst_answer(
    bench: BenchFile, run: RunEntry, burst: Burst, objective_ms: float | None
) -> BurstAnswer | None:
    """Return the run's figures; None with fewer than two requests due before or during the burst."""
    columns = bench.request_columns(run.id)
    frame = run.frame or _Frame(length_s=0.0, time_scale=run.time_scale)
    due = columns.due * frame.time_scale
    waited = _waited_ms(columns, frame)
    end = burst.at + burst.seconds
    before = waited[(due >= _SETTLING * burst.at) & (due < burst.at)]
    during = waited[(due >= burst.at) & (due < end)]
    before, during = before[~np.isnan(before)], during[~np.isnan(during)]
    if before.size < 2 or during.size < 2:
        return None
    normal = float(np.percentile(before, 95))
    limit = objective_ms if objective_ms is not None else _SPIKE * normal
    rejected = int(np.count_nonzero(columns.of_outcome(Outcome.REJECTED) & (due >= burst.at)))
    waiting = _waiting_max(bench, run)
    return BurstAnswer(
        run=run.name,
        before_ms=normal,
        during_ms=float(np.percentile(during, 95)),
        limit_ms=limit,
        rejected=rejected,
        waiting_max=waiting,
        recovered_s=_recovered(due, waited, max(limit, normal), end, frame.length_s),
    )


def _waited_ms(columns: RequestColumns, frame: _Frame) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return each request's TTFT in milliseconds of the load.

    An unanswered request counts with its wait until the end of the run. A rejected one is NaN.
    """
    waited = columns.first_token - columns.due
    if frame.ended is not None:
        open_ = columns.of_outcome(Outcome.UNFINISHED) & np.isnan(waited)
        waited = np.where(open_, frame.ended - columns.due, waited)
    return np.asarray(waited * frame.time_scale * 1000, dtype=np.float64)


def _recovered(
    due: np.ndarray[tuple[int], np.dtype[np.float64]],
    waited: np.ndarray[tuple[int], np.dtype[np.float64]],
    limit: float,
    end: float,
    length: float,
) -> float | None:
    """Return the seconds from the burst's end to the last request over the limit; None if none came after."""
    late = due[(due >= end) & (waited > limit)]
    if not late.size:
        return 0.0
    last = float(late.max())
    answered_after = np.count_nonzero((due > last) & ~np.isnan(waited))
    return last - end if answered_after >= 2 and last < length else None


def _waiting_max(bench: BenchFile, run: RunEntry) -> float | None:
    by_time: dict[float, float] = {}
    for sample in bench.samples(run.id):
        if sample.waiting is not None:
            by_time[sample.t] = by_time.get(sample.t, 0.0) + sample.waiting
    return max(by_time.values(), default=None)
