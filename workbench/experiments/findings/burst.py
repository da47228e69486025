"""What a burst finds: is the queue bounded, are requests rejected, or does latency spike?"""

import numpy as np

from workbench.base import Record
from workbench.experiments.findings.pairs import duration
from workbench.experiments.spec.tables import Burst
from workbench.results import BenchFile, Objectives, Outcome, RequestColumns, RunEntry
from workbench.results import RunFrame as _Frame

_SPIKE = 2.0
"""Without an objective, twice the normal p95 is a spike."""
_SETTLING = 0.25
"""Share of the time before the burst that fills the empty server."""


class BurstAnswer(Record, frozen=True, kw_only=True):
    """One run's answer. Times in milliseconds and seconds of the load."""

    run: str
    before_ms: float
    during_ms: float
    """p95 TTFT of what was due within the burst."""
    limit_ms: float
    rejected: int
    waiting_max: float | None
    recovered_s: float | None
    """From the burst's end till TTFT stays within the limit; None: not by the run's end."""

    @property
    def verdict(self) -> str:
        """The question's answer in a few words."""
        if self.rejected:
            return "the queue is bounded: what is over it is rejected"
        if self.during_ms <= self.limit_ms:
            return "the burst is absorbed"
        if self.recovered_s is None:
            return "latency spikes and is not back by the end: nothing bounds the queue"
        return "latency spikes, nothing is rejected"

    def sentence(self, burst: Burst) -> str:
        """The answer with its figures."""
        waited = "" if self.waiting_max is None else f", up to {self.waiting_max:.0f} waited"
        back = "not back by the end" if self.recovered_s is None else f"back after {self.recovered_s:.0f} s"
        return (
            f"{self.run}, a burst of {burst.factor:g} times for {burst.seconds:g} s: {self.verdict} (p95 TTFT"
            f" {duration(self.before_ms)} before, {duration(self.during_ms)} in it, {back}{waited},"
            f" {self.rejected} rejected)."
        )


def burst_findings(bench: BenchFile, burst: Burst, objectives: Objectives) -> list[str]:
    """One sentence a run that ended as planned."""
    found = []
    for run in bench.runs():
        answer = burst_answer(bench, run, burst, objectives.ttft_p95_ms) if run.status == "done" else None
        if answer is not None:
            found.append(answer.sentence(burst))
    return found


def burst_answer(
    bench: BenchFile, run: RunEntry, burst: Burst, objective_ms: float | None
) -> BurstAnswer | None:
    """None where too little was due before the burst or within it."""
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
    """TTFT in milliseconds of the load; of the unanswered what they had waited at the end; NaN: rejected."""
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
    """Seconds from the burst's end to the last request that waited longer than the limit."""
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
