"""The schedule of a run: when each row of a trace is due."""

import hashlib
from dataclasses import dataclass, field, replace

import numpy as np

from workbench.base import Place, Refusal
from workbench.traces.arrivals.arrival_process import SCHEDULE_FORM, due_times
from workbench.traces.arrivals.arrival_process import arrivals as drawn_arrivals
from workbench.traces.arrivals.rate_profile import RateProfile
from workbench.traces.columns import Floats, Ints
from workbench.traces.identity import SCHEDULE_TICKS_PER_S, schedule_sha256
from workbench.traces.trace import Trace, previous_turn

MAX_REQUESTS = 20_000_000
"""A longer schedule doesn't fit the memory of an ordinary machine."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Schedule:
    """Requests in the order of their due times.

    Times are seconds of the trace, not divided by a time scale.
    """

    due_s: Floats
    """Seconds from the start, in steps of 1 us.

    Empty in a closed loop: there, due times follow at run time.
    """
    rows: Ints
    """Trace row of each request; a trace with too few rows repeats from its first row."""
    length_s: float | None
    """The time that the requests fill: the duration, or n / rate if the requests end before it.

    Without a rate: the last due time plus one mean gap. None in a closed loop bounded by number.
    """
    trace_rows: int
    """Rows of the trace; request k belongs to pass `k // trace_rows`."""
    after: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Number of the request that must end first (the session's previous turn), -1 for none.

    Empty if no request waits for another.
    """
    delay_s: Floats = field(default_factory=lambda: np.zeros(0))
    """Think time between that end and this request's due time; same length as `after`."""
    concurrency: int | None = None
    """Slots of a closed loop; None in an open loop."""
    requests: int | None = None
    """The requested number of requests; None if only the duration bounds them."""

    def __len__(self) -> int:
        return len(self.rows)

    def row_of(self, request: int) -> tuple[int, int]:
        """Return the trace row of request k, and its pass over the trace."""
        cycle, row = divmod(request, self.trace_rows)
        return row, cycle

    def sha256(self) -> str:
        """Return the identity of the due times; in a closed loop, of its bounds."""
        if self.concurrency is None:
            return schedule_sha256(self.due_s)
        length = None if self.length_s is None else float(self.length_s)
        bounds = f"requests {self.requests} duration_s {length}"
        return hashlib.sha256(
            f"workbench-closed-loop 1 concurrency {self.concurrency} {bounds}\n".encode()
        ).hexdigest()


def open_loop(  # noqa: PLR0913 - all that a schedule follows from
    trace: Trace,
    *,
    rate: float | RateProfile | None = None,
    arrivals: str = "trace",
    burstiness: float = 1.0,
    seed: int = 1,
    requests: int | None = None,
    duration_s: float | None = None,
    speedup: float = 1.0,
    form: int = SCHEDULE_FORM,
) -> Schedule:
    """Make a schedule of requests that are sent when due, whether or not earlier ones have ended.

    - `arrivals="trace"` keeps the trace's times and think times, divided by `speedup`. With `rate` they are
      scaled linearly to that mean rate.
    - Other arrivals replace the times and make every request independent. Their `rate` may be a profile; None
      means the trace's own mean rate times `speedup`.
    - `requests` and `duration_s` both bound the schedule.
    - `form` 1 makes the schedule of older builds, for their bench files.

    Raises:
        Refusal: an argument is out of range, or the times can't be scaled.
    """
    mean = rate.mean_rate if isinstance(rate, RateProfile) else rate
    _check(trace, rate=mean, requests=requests, duration_s=duration_s, speedup=speedup)
    if arrivals == "trace":
        if isinstance(rate, RateProfile):
            raise Refusal("traces.profile_needs_arrivals", Place(key="arrivals"))
        own = _own_times(trace, rate, requests, duration_s, speedup)
        return own if form == 1 or duration_s is None else _without_tail(own, requests, rate)
    mean = mean or mean_rate(trace) * speedup
    count = len(trace) if requests is None and duration_s is None else requests
    _check_count(count if duration_s is None else mean * duration_s)
    if form == 1:
        times = due_times(
            arrivals,
            rate=rate or mean,
            seed=seed,
            burstiness=burstiness,
            requests=count,
            duration_s=duration_s,
        )
        return _schedule(trace, times, duration_s or _length_of(times, mean), requests)
    drawn = drawn_arrivals(
        arrivals, rate=rate or mean, seed=seed, burstiness=burstiness, requests=count, duration_s=duration_s
    )
    return _schedule(trace, drawn.times, drawn.length_s, requests)


def _without_tail(schedule: Schedule, requests: int | None, rate: float | None) -> Schedule:
    """End a schedule with its last request if its number of requests ends before its duration."""
    count = len(schedule)
    if requests is None or count < requests or not count:
        return schedule
    last = float(schedule.due_s[-1])
    length_s = count / rate if rate is not None else last + last / max(1, count - 1)
    return replace(schedule, length_s=min(schedule.length_s or length_s, length_s))


def _length_of(times: Floats, mean: float) -> float:
    """Return the length of a schedule in form 1 bounded by requests; drawn times may exceed n / rate."""
    return max(len(times) / mean, float(times[-1]) + 1 / mean) if len(times) else 0.0


def closed_loop(
    trace: Trace, *, concurrency: int, requests: int | None = None, duration_s: float | None = None
) -> Schedule:
    """Make a schedule of `concurrency` slots; each sends the next row when its last request has ended.

    Bounded by duration alone, the number of requests is unknown: `rows` is one pass over the trace, and
    `row_of` continues it.

    Raises:
        Refusal: an argument is out of range.
    """
    _check(trace, rate=None, requests=requests, duration_s=duration_s, speedup=1.0)
    if concurrency < 1:
        raise Refusal("base.too_small", Place(key="concurrency"), value=concurrency, minimum=1)
    count = requests if requests is not None else len(trace)
    return Schedule(
        due_s=np.zeros(0),
        rows=np.arange(count) % len(trace),
        length_s=duration_s,
        trace_rows=len(trace),
        concurrency=concurrency,
        requests=count if duration_s is None else requests,
    )


def mean_rate(trace: Trace) -> float:
    """Return the requests per second: one divided by the mean gap between arrivals.

    Raises:
        Refusal: the trace has only one row, or all requests arrive at once.
    """
    span_s = float(trace.timestamp_ms[-1]) / 1000 if len(trace) else 0.0
    if span_s <= 0:
        raise Refusal("traces.no_own_rate")
    return (len(trace) - 1) / span_s


def _own_times(
    trace: Trace, rate: float | None, requests: int | None, duration_s: float | None, speedup: float
) -> Schedule:
    """Make a schedule of the trace's own times, divided by `speedup` or scaled to `rate`."""
    if rate is not None:
        count = _count_at(rate, len(trace) if duration_s is None else None, requests, duration_s)
        times = _repeated(trace, count)
        if count > 1 and times[-1] <= 0:
            raise Refusal("traces.unscalable_times")
        speedup = times[-1] * rate / (count - 1) if count > 1 else 1.0
        return _schedule(trace, times / speedup, duration_s or count / rate, requests, speedup)
    if duration_s is not None:
        cycle_s = _mean_gap(trace) * len(trace) / speedup
        count = len(trace) * (1 + int(duration_s / cycle_s)) if cycle_s > 0 else len(trace)
        times = _repeated(trace, count if requests is None else min(count, requests)) / speedup
        return _schedule(trace, times[times < duration_s], duration_s, requests, speedup)
    times = _repeated(trace, len(trace) if requests is None else requests) / speedup
    gap = float(times[-1]) / (len(times) - 1) if len(times) > 1 else 0.0
    return _schedule(trace, times, float(times[-1]) + gap, requests, speedup)


def _count_at(rate: float, default: int | None, requests: int | None, duration_s: float | None) -> int:
    """Return the number of requests that both bounds allow at a mean rate."""
    within = None if duration_s is None else max(1, int(rate * duration_s))
    return min(count for count in (requests or default, within) if count is not None)


def _schedule(
    trace: Trace, times: Floats, length_s: float, requests: int | None, speedup: float | None = None
) -> Schedule:
    """Make a schedule; `speedup` None: the times are drawn, so no request waits for another."""
    due = np.rint(times * SCHEDULE_TICKS_PER_S) / SCHEDULE_TICKS_PER_S
    cycles, rows = np.divmod(np.arange(len(due)), len(trace))
    schedule = Schedule(due_s=due, rows=rows, length_s=length_s, trace_rows=len(trace), requests=requests)
    if speedup is None or trace.delay_ms is None:
        return schedule
    waits = np.where(np.isnan(trace.delay_ms), -1, previous_turn(trace))[rows]
    after = np.where(waits < 0, -1, waits + cycles * len(trace))
    delay = np.where(after < 0, 0.0, trace.delay_ms[rows] / 1000 / speedup)
    return replace(schedule, after=after, delay_s=delay)


def _repeated(trace: Trace, count: int) -> Floats:
    """Return `count` of the trace's own times in seconds.

    Each pass begins one mean gap after the last arrival of the previous pass.
    """
    _check_count(count)
    cycles, rows = np.divmod(np.arange(count), len(trace))
    return trace.timestamp_ms[rows] / 1000 + cycles * (_mean_gap(trace) * len(trace))


def _mean_gap(trace: Trace) -> float:
    return float(trace.timestamp_ms[-1]) / 1000 / (len(trace) - 1) if len(trace) > 1 else 0.0


def _check(
    trace: Trace, *, rate: float | None, requests: int | None, duration_s: float | None, speedup: float
) -> None:
    if not len(trace):
        raise Refusal("traces.no_requests")
    for key, value in (
        ("rate", rate),
        ("requests", requests),
        ("duration_s", duration_s),
        ("speedup", speedup),
    ):
        if value is not None and not (0 < value < float("inf")):
            raise Refusal("traces.not_above_0", Place(key=key), value=value)


def _check_count(count: float | None) -> None:
    if count is not None and count > MAX_REQUESTS:
        raise Refusal("traces.schedule_too_long", count=count, maximum=MAX_REQUESTS)
