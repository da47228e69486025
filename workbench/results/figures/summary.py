"""The summary of a run: the figures of `measure --json` and of a scorecard row, overall and per class."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
import numpy as np

from workbench.base import Message, Record
from workbench.results.figures import latencies
from workbench.results.figures.drift import Drift, drift
from workbench.results.figures.engine_figures import EngineFigures, engine_figures
from workbench.results.figures.imbalance import Imbalance, imbalance
from workbench.results.figures.latencies import accepted
from workbench.results.figures.queue_time import QueueFigures, queue_figures
from workbench.results.figures.request_columns import Bools, RequestColumns, columns_from_records
from workbench.results.figures.request_notes import request_notes
from workbench.results.figures.run_frame import Conditions, RunFrame, RunIdentity
from workbench.results.figures.scrapes import Scrapes
from workbench.results.figures.server_figures import MeasuredSpan, server_figures, server_notes
from workbench.results.figures.validity import invalid_reasons
from workbench.results.objectives import Objectives
from workbench.results.percentiles import Distribution, distribution
from workbench.results.run_records import Outcome, RequestRecord, Sample, ServerDelta

_DUE_GRAIN_S = 1e-6
"""The rounding of due times: one may lie exactly on the window's end."""
_Queue = Callable[[RequestColumns], QueueFigures]
"""The queue time of some requests from their best source."""


class RequestCounts(Record, frozen=True, kw_only=True):
    """Measured requests by outcome; the outcomes sum to `scheduled`."""

    scheduled: int
    sent: int
    completed: int
    failed: int
    rejected: int
    timed_out: int
    cancelled: int
    unfinished: int


class RetryCounts(Record, frozen=True, kw_only=True):
    """Measured requests that were sent again, and all repetitions; their latencies include every try."""

    requests: int
    times: int


class Figures(Record, frozen=True, kw_only=True):
    """Figures of a set of requests: all of a run, or one class."""

    requests: RequestCounts
    offered_rps: float | None
    sent_rps: float | None
    completed_rps: float | None
    accepted: int
    accepted_share: float | None
    """Share of scheduled - cancelled."""
    accepted_rps: float | None
    output_tok_s: float | None
    """Output tokens a second of completed requests, accepted or not."""
    input_tok_s: float | None
    error_rate: float | None
    """(failed + rejected + timed_out + unfinished) / (scheduled - cancelled), without requests never sent."""
    rejected_rate: float | None
    """rejected / (scheduled - cancelled)."""
    input_tokens: Distribution
    """Prompt tokens by usage, all answered requests."""
    output_tokens: Distribution
    """Output tokens of completed requests."""
    ttft_ms: Distribution
    itl_ms: Distribution
    event_gap_ms: Distribution
    tpot_ms: Distribution
    e2e_ms: Distribution
    client_delay_ms: Distribution
    admission_wait_ms: Distribution
    connect_ms: Distribution
    queue_ms: QueueFigures
    requeue_wait_ms: Distribution
    rejected_rps: float | None = None
    """Rejected in the measured window / its length."""
    accepted_output_tok_s: float | None = None
    """Output tokens a second of accepted requests alone."""
    accepted_output_tokens: float | None = None
    """Output tokens of all accepted requests."""


class RunSummary(Figures, frozen=True, kw_only=True):
    """All figures of one run. Times are simulated where the run is; None is unknown."""

    duration_s: float
    """The measured window."""
    drain_s: float
    """From the window's end to the end of the last request."""
    preemptions: float | None
    running_max: float | None
    waiting_max: float | None
    kv_peak: float | None
    """The KV-cache usage of the fullest engine, 0 to 1."""
    running_mean: float | None = None
    """The mean over the time of the window."""
    waiting_mean: float | None = None
    """The mean over the time of the window."""
    kv_mean: float | None = None
    """The mean over the time of the window, the fullest engine's, 0 to 1."""
    oldest_waiting_s: float | None = None
    """The greatest age of a request without a first token within the window."""
    retries: RetryCounts | None = None
    prefix_hit: float | None
    """Prompt tokens found in the prefix cache / looked up."""
    classes: dict[str, Figures] = msgspec.field(default_factory=dict)
    engines: dict[str, EngineFigures] = msgspec.field(default_factory=dict)
    """Each engine or replica, if there are several."""
    imbalance: Imbalance | None = None
    """Imbalance of their load; None with one engine."""
    diverging: bool | None
    """True if TTFT drifts up during the run; None with too few requests."""
    drift: Drift | None
    valid: bool
    reasons: list[str]
    """Reasons why the run is invalid, in English."""
    reason_messages: list[Message] = msgspec.field(default_factory=list)
    """The same reasons as data, in the same order."""
    notes: list[str] = msgspec.field(default_factory=list)
    """Notes that explain the figures, in English."""
    note_messages: list[Message] = msgspec.field(default_factory=list)
    """The same notes as data, in the same order."""
    partial: bool
    """The operator stopped it."""
    time_scale: float
    simulated: bool | None = None
    profile: str | None = None
    trace_sha256: str | None = None
    schedule_sha256: str | None = None
    command: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain dicts, lists, numbers, text and None, by the keys of docs/explanation/figures.md."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain


@dataclass(frozen=True, slots=True)
class _RunTimes:
    """The run's times: the end of watching (wall `ended`) and the window in schedule seconds."""

    scale: float
    server_scale: float
    ended: float
    start: float
    end: float
    stopped: bool

    @property
    def window_s(self) -> float:
        return self.end - self.start


def summarize_run(
    records: Sequence[RequestRecord] | RequestColumns,
    frame: RunFrame,
    *,
    samples: Sequence[Sample] = (),
    server: ServerDelta | None = None,
    objectives: Objectives | None = None,
    conditions: Conditions | None = None,
    identity: RunIdentity | None = None,
    per_class: bool = True,
) -> RunSummary:
    """Compute every figure of a run from its records.

    Args:
        records: every scheduled request, warm-up included.
        frame: schedule length, measured window, time scale, end.
        samples: scrapes of the server's metrics, any order of engines, ascending time; may be empty.
        server: counter and histogram deltas; without it counters come from the samples.
        objectives: for goodput; None: every completed request is accepted.
        conditions: the conditions of a valid run.
        identity: hashes, command, simulated, profile: copied into the summary.
        per_class: compute figures for each class of the trace, too.
    """
    in_run, clock = _in_run(records, frame)
    good = accepted(in_run, objectives or Objectives(), scale=clock.scale)
    measured = np.asarray(in_run.phase == "measured", dtype=np.bool_)
    of_run = in_run.select(measured)
    queue = partial(queue_figures, scale=clock.server_scale, source=frame.queue_source)
    whole = partial(queue, histogram=server.queue if server else None)
    begin, end = clock.start / clock.scale, clock.end / clock.scale
    scrapes, watched = Scrapes(samples), MeasuredSpan(begin=begin, end=end, ended=clock.ended)
    figures = _figures(in_run, good, measured, clock, whole)
    figures |= server_figures(scrapes, server, watched, conditions or Conditions())
    engines = engine_figures(scrapes, watched)
    notes = [*request_notes(of_run), *server_notes(scrapes, server, watched)]
    return RunSummary(
        **figures,
        oldest_waiting_s=_oldest_waiting(in_run, clock),
        **_stability(of_run, clock),
        **_validity(of_run, figures, server, conditions or Conditions(), stopped=frame.stopped),
        classes=_by_class(in_run, good, measured, clock, queue) if per_class else {},
        engines=engines,
        imbalance=imbalance(scrapes, watched),
        retries=_retries(of_run),
        notes=list(map(str, notes)),
        note_messages=notes,
        **_extent(clock),
        **msgspec.structs.asdict(identity or RunIdentity()),
    )


def _in_run(
    records: Sequence[RequestRecord] | RequestColumns, frame: RunFrame
) -> tuple[RequestColumns, _RunTimes]:
    """Return the requests that count, and the run's times; a stop removes later requests."""
    columns = records if isinstance(records, RequestColumns) else columns_from_records(records)
    clock = _clock(columns, frame)
    return columns.select(columns.due < clock.ended) if frame.stopped else columns, clock


def _extent(clock: _RunTimes) -> dict[str, Any]:
    return {
        "duration_s": clock.window_s,
        "drain_s": max(0.0, clock.ended * clock.scale - clock.end),
        "partial": clock.stopped,
        "time_scale": clock.scale,
    }


def _stability(columns: RequestColumns, clock: _RunTimes) -> dict[str, Any]:
    # Turns of sessions may fall due after the schedule, on an emptying server, and show no capacity.
    loaded = columns.select(columns.due * clock.scale <= clock.end)
    found = drift(loaded, scale=clock.scale, ended=clock.ended)
    return {"diverging": found.diverging if found else None, "drift": found}


def _validity(
    columns: RequestColumns,
    figures: dict[str, Any],
    server: ServerDelta | None,
    conditions: Conditions,
    *,
    stopped: bool,
) -> dict[str, Any]:
    missing = _missing(conditions, figures, columns)
    reasons = invalid_reasons(columns, conditions, server, missing, stopped=stopped)
    return {"valid": not reasons, "reasons": list(map(str, reasons)), "reason_messages": reasons}


def _clock(columns: RequestColumns, frame: RunFrame) -> _RunTimes:
    ended = frame.ended
    if ended is None:
        stamps = np.concatenate([columns.done, columns.last_token, columns.sent])
        ended = float(np.nanmax(stamps)) if np.isfinite(stamps).any() else frame.length_s / frame.time_scale
    start, end = frame.measured(ended)
    return _RunTimes(
        scale=frame.time_scale,
        server_scale=frame.server_scale,
        ended=float(ended),
        start=float(start),
        end=float(end),
        stopped=frame.stopped,
    )


def _by_class(
    columns: RequestColumns, good: Bools, measured: Bools, clock: _RunTimes, queue: _Queue
) -> dict[str, Figures]:
    found = {}
    for name in sorted(set(columns.cls[measured])):
        members = np.asarray(columns.cls == name, dtype=np.bool_)
        figures = _figures(columns.select(members), good[members], measured[members], clock, queue)
        found[name] = Figures(**figures)
    return found


def _figures(
    columns: RequestColumns, good: Bools, measured: Bools, clock: _RunTimes, queue: _Queue
) -> dict[str, Any]:
    """Return the fields of `Figures`. Rates count requests that finished inside the window, of any phase."""
    of_run = columns.select(measured)
    counts = _counts(of_run)
    return {
        "requests": counts,
        **_rates(columns, good, clock),
        **_shares(of_run, counts, int(np.count_nonzero(good[measured])), stopped=clock.stopped),
        **_offered(of_run, clock),
        "accepted_output_tokens": _known(of_run.output_counted[good[measured]].sum()),
        **_token_counts(of_run),
        **_latencies(of_run, clock),
        "queue_ms": queue(of_run),
        "requeue_wait_ms": distribution(
            of_run.requeue_wait_ms[~np.isnan(of_run.requeue_wait_ms)] * clock.server_scale
        ),
    }


def _offered(columns: RequestColumns, clock: _RunTimes) -> dict[str, float | None]:
    """Return the rates of requests due in the window; a turn of a session may fall due after it."""
    due = columns.due * clock.scale
    inside = (due > clock.start - _DUE_GRAIN_S) & (due < clock.end + _DUE_GRAIN_S)
    sent = inside & ~np.isnan(columns.sent)
    return {
        "offered_rps": _per_second(int(np.count_nonzero(inside)), clock.window_s),
        "sent_rps": _per_second(int(np.count_nonzero(sent)), clock.window_s),
    }


def _counts(columns: RequestColumns) -> RequestCounts:
    by_outcome = {outcome.value: int(np.count_nonzero(columns.of_outcome(outcome))) for outcome in Outcome}
    return RequestCounts(
        scheduled=len(columns), sent=int(np.count_nonzero(~np.isnan(columns.sent))), **by_outcome
    )


def _retries(columns: RequestColumns) -> RetryCounts:
    again = columns.retries[columns.retries > 0]
    return RetryCounts(requests=len(again), times=int(again.sum()))


def _rates(columns: RequestColumns, good: Bools, clock: _RunTimes) -> dict[str, float | None]:
    done = columns.done * clock.scale
    in_window = (done >= clock.start) & (done <= clock.end)
    inside = columns.of_outcome(Outcome.COMPLETED) & in_window
    refused = columns.of_outcome(Outcome.REJECTED) & in_window
    return {
        "completed_rps": _per_second(int(np.count_nonzero(inside)), clock.window_s),
        "accepted_rps": _per_second(int(np.count_nonzero(inside & good)), clock.window_s),
        "output_tok_s": _per_second(columns.output_counted[inside].sum(), clock.window_s),
        "accepted_output_tok_s": _per_second(columns.output_counted[inside & good].sum(), clock.window_s),
        "input_tok_s": _per_second(columns.input_counted[inside].sum(), clock.window_s),
        "rejected_rps": _per_second(int(np.count_nonzero(refused)), clock.window_s),
    }


def _oldest_waiting(columns: RequestColumns, clock: _RunTimes) -> float | None:
    """Return the greatest age without a first token in the window; None: no request was due by its end."""
    due, answered = columns.due * clock.scale, np.fmin(columns.first_token, columns.done) * clock.scale
    waited_until = np.fmin(answered, clock.end)
    ages = (waited_until - due)[(waited_until >= clock.start) & (due <= clock.end)]
    return float(ages.max()) if ages.size else None


def _shares(columns: RequestColumns, counts: RequestCounts, good: int, *, stopped: bool) -> dict[str, Any]:
    """Return shares of the requests that count: without those left open by a stop, or never sent."""
    left_open = counts.unfinished if stopped else int(np.count_nonzero(columns.never_left))
    asked = counts.scheduled - counts.cancelled - left_open
    errors = counts.failed + counts.rejected + counts.timed_out + counts.unfinished - left_open
    return {
        "accepted": good,
        "accepted_share": good / asked if asked else None,
        "error_rate": errors / asked if asked else None,
        "rejected_rate": counts.rejected / asked if asked else None,
    }


def _token_counts(columns: RequestColumns) -> dict[str, Distribution]:
    completed = columns.of_outcome(Outcome.COMPLETED)
    given, answered = columns.input_counted, columns.output_counted[completed]
    return {
        "input_tokens": distribution(given[~np.isnan(given)]),
        "output_tokens": distribution(answered[~np.isnan(answered)]),
    }


def _latencies(columns: RequestColumns, clock: _RunTimes) -> dict[str, Distribution]:
    scale, ended = clock.scale, clock.ended
    series = {
        "ttft_ms": latencies.ttft(columns, scale=scale, ended=ended),
        "itl_ms": latencies.token_gaps(columns, scale=scale),
        "event_gap_ms": latencies.event_gaps(columns, scale=scale),
        "tpot_ms": latencies.tpot(columns, scale=scale),
        "e2e_ms": latencies.e2e(columns, scale=scale, ended=ended),
        "client_delay_ms": latencies.client_delay(columns, scale=scale),
        "admission_wait_ms": latencies.admission_wait(columns, scale=scale),
        "connect_ms": latencies.connect(columns, scale=scale),
    }
    return {name: values.figures() for name, values in series.items()}


def _missing(conditions: Conditions, figures: dict[str, Any], columns: RequestColumns) -> tuple[str, ...]:
    """Return the figures that the conditions need and that were not measured."""
    measured = {
        "queue": figures["queue_ms"].source,
        "preemptions": figures["preemptions"],
        "running": figures["running_max"],
        "waiting": figures["waiting_max"],
        "kv": figures["kv_peak"],
        # Without any gap there is no ITL to know.
        "itl": figures["itl_ms"].mean if any(columns.gaps_ms) else 0.0,
    }
    return tuple(name for name in conditions.need if measured[name] is None)


def _known(amount: float) -> float | None:
    return None if np.isnan(amount) else float(amount)


def _per_second(amount: float, seconds: float) -> float | None:
    return float(amount) / seconds if seconds > 0 and not np.isnan(amount) else None
