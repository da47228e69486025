"""Hold the stored requests of a run against its trace and its schedule: rows, due times, stamps, names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from workbench.base import InputError, Message, message
from workbench.experiments.plan.workload import PromptedWorkload, fit_to_context, make_schedule
from workbench.experiments.spec.experiment import Experiment
from workbench.results import BenchFile, Outcome, RequestRecord, RunEntry
from workbench.traces import Schedule, Trace

WHOLE = ("done", "replaced")
"""States of runs that sent their whole schedule; others may lack requests."""
_DUE_S = 2e-5
"""Due times are stored in steps of 1 us."""
_STAMP_S = 0.005
"""Kernel stamps and the program's clock may differ by this."""
_IDEAL_S = 0.05
"""A simulated server's times are those of its ideal timeline, which a busy machine lags behind."""
_GAP_S, _GAP_SHARE = 1e-3, 1e-5
"""Allowed difference between a stream's gaps, stored as 32-bit floats, and its first and last stamp."""
_SAME_SHARE = 0.3
"""Share of streams that may be equal to the microsecond in two runs by chance."""
_SAME_AT_LEAST = 3
_LONG = 32
"""Bytes of the gaps of a stream that no other one has by chance."""


@dataclass(frozen=True, slots=True)
class RunRows:
    """A run with its requests and what its trace says they are."""

    entry: RunEntry
    experiment: Experiment
    trace: Trace
    schedule: Schedule
    records: Sequence[RequestRecord]

    @property
    def measured(self) -> list[RequestRecord]:
        """The measured requests."""
        return [record for record in self.records if record.phase == "measured"]


def rows_of(bench: BenchFile, run: RunEntry, experiment: Experiment, trace: Trace) -> RunRows | Message:
    """Return the run with its rows, or that its trace or its schedule is another one."""
    fitted = _fitted(experiment, trace, run, bench.runs())
    if fitted is None:
        return message("packs.other_trace", run=run.name)
    try:
        schedule = make_schedule(
            fitted, experiment.trace, experiment.load, run.rate, run.concurrency, experiment.burst
        )
    except InputError:
        return message("packs.other_schedule", run=run.name)
    if schedule.sha256() != run.schedule_sha256:
        return message("packs.other_schedule", run=run.name)
    return RunRows(run, experiment, fitted, schedule, bench.requests(run.id))


def _fitted(experiment: Experiment, trace: Trace, run: RunEntry, runs: Sequence[RunEntry]) -> Trace | None:
    """Return the trace as it was fitted to the first server's context; None if none explains its hash."""
    seed = experiment.trace.seed
    if trace.sha256(seed) == run.trace_sha256:
        return trace
    lengths = {(each.effective or {}).get("max_model_len") for each in runs}
    for length in sorted(length for length in lengths if isinstance(length, int)):
        try:
            fitted = fit_to_context(PromptedWorkload(trace=trace, title=""), length, experiment.trace).trace
        except InputError:
            continue
        if fitted.sha256(seed) == run.trace_sha256:
            return fitted
    return None


def row_findings(rows: RunRows) -> list[Message]:
    """Return what the stored requests have that their trace and schedule don't, or lack."""
    return [
        *_missing(rows),
        *_other_lengths(rows),
        *_other_due_times(rows),
        *_impossible_stamps(rows),
        *_other_names(rows),
    ]


def _missing(rows: RunRows) -> Iterator[Message]:
    """Yield that requests of the schedule are absent, or that there are more."""
    name, schedule = rows.entry.name, rows.schedule
    indices = np.array([record.index for record in rows.measured], dtype=np.int64)
    if schedule.concurrency is not None and schedule.requests is None:
        return  # Bounded by time: the number of requests is the server's.
    extra = int(np.count_nonzero(indices >= len(schedule)))
    if extra:
        yield message("packs.rows_extra", run=name, count=extra, scheduled=len(schedule))
    if rows.entry.status not in WHOLE or (schedule.concurrency is not None and schedule.length_s is not None):
        return
    absent = len(schedule) - (len(indices) - extra)
    if absent:
        yield message("packs.rows_missing", run=name, count=absent, scheduled=len(schedule))


def _other_lengths(rows: RunRows) -> Iterator[Message]:
    """Yield that requests asked for other tokens, or belong to other rows or classes, than the trace says."""
    trace, schedule = rows.trace, rows.schedule
    classes = trace.classes.select(np.arange(len(trace))).values()
    wrong = 0
    for record in rows.records:
        row = record.index % schedule.trace_rows
        if record.phase != "measured":
            row = int(schedule.rows[record.index % len(schedule)])
        asked = (int(trace.input_length[row]), int(trace.output_length[row]), classes[row] or "")
        wrong += record.row != row or (record.input_tokens, record.output_tokens, record.cls) != asked
    if wrong:
        yield message("packs.rows_differ", run=rows.entry.name, count=wrong, of=len(rows.records))


def _other_due_times(rows: RunRows) -> Iterator[Message]:
    schedule = rows.schedule
    if schedule.concurrency is not None:
        return
    scale = rows.entry.time_scale
    off = 0
    for record in rows.measured:
        if record.index >= len(schedule) or (len(schedule.after) and schedule.after[record.index] >= 0):
            continue  # A later turn is due when the earlier one has ended.
        off += abs(record.due - float(schedule.due_s[record.index]) / scale) > _DUE_S
    if off:
        yield message("packs.due_times_differ", run=rows.entry.name, count=off, of=len(rows.measured))


def _impossible_stamps(rows: RunRows) -> Iterator[Message]:
    """Yield stamps out of order, and streams whose gaps don't fill the time from first to last token."""
    order = streams = counts = inside = 0
    for record in rows.records:
        stamps = (
            record.due,
            record.released,
            record.sent,
            record.first_token,
            record.last_token,
            record.done,
        )
        known = [stamp for stamp in stamps if stamp is not None]
        order += any(later < earlier - _STAMP_S for earlier, later in pairwise(known))
        streams += _gaps_differ(record)
        counts += _counts_differ(record)
        inside += _server_saw_longer(record, rows.entry)
    name, of = rows.entry.name, len(rows.records)
    for count, kind in (
        (order, message("packs.stamps_out_of_order", run=name, count=order, of=of)),
        (streams, message("packs.gaps_differ", run=name, count=streams, of=of)),
        (counts, message("packs.tokens_differ", run=name, count=counts, of=of)),
        (inside, message("packs.server_saw_longer", run=name, count=inside, of=of)),
    ):
        if count:
            yield kind


def _gaps_differ(record: RequestRecord) -> bool:
    if record.first_token is None or record.last_token is None or record.retries:
        return False
    span = record.last_token - record.first_token
    gaps = float(record.gap_array().sum(dtype=np.float64)) / 1000
    return abs(gaps - span) > _GAP_S + _GAP_SHARE * abs(span)


def _counts_differ(record: RequestRecord) -> bool:
    """Return whether a complete stream has another number of tokens than was counted in it."""
    if record.outcome is not Outcome.COMPLETED or record.tokens is None or record.first_token is None:
        return False
    events = record.token_array()
    if not events.any() and len(events):
        return False  # The tokens of its events are unknown.
    return record.first_event_tokens + int(events.sum()) != record.tokens


def _server_saw_longer(record: RequestRecord, entry: RunEntry) -> bool:
    """Return whether the server reports a longer wait for the first token than its client saw."""
    first, released = record.first_token, record.released
    if first is None or released is None or None in (record.queue_ms, record.prefill_ms) or record.retries:
        return False
    scale, slack = (entry.time_scale, _IDEAL_S) if entry.simulated else (1.0, _STAMP_S)
    inside_s = ((record.queue_ms or 0.0) + (record.prefill_ms or 0.0)) / 1000 / scale
    # A late load generator stamps a request as sent when the server has it already.
    return first - released < inside_s - slack


def _other_names(rows: RunRows) -> Iterator[Message]:
    """Yield that requests don't bear the name of their run and their place in the schedule."""
    prefixes, wrong = set(), 0
    for record in rows.records:
        prefix, _, place = record.request_id.rpartition("-")
        prefixes.add(prefix)
        wrong += place != f"{'' if record.phase == 'measured' else 'w'}{record.index}"
    if wrong or len(prefixes) > 1:
        count = wrong or len(prefixes)
        yield message("packs.names_differ", run=rows.entry.name, count=count, of=len(rows.records))


def copied_rows(runs: Sequence[RunRows]) -> list[Message]:
    """Return the pairs of runs that share their streams: no two measurements are equal to the microsecond."""
    streams = [{record.gaps_ms for record in rows.records if len(record.gaps_ms) >= _LONG} for rows in runs]
    names = [{record.request_id for record in rows.records} for rows in runs]
    found = []
    for one, other in combinations(range(len(runs)), 2):
        same = len(streams[one] & streams[other])
        fewest = min(len(streams[one]), len(streams[other]))
        if names[one] & names[other] or (same >= _SAME_AT_LEAST and same > _SAME_SHARE * fewest):
            pair = [f"{rows.entry.name} ({rows.entry.id})" for rows in (runs[one], runs[other])]
            found.append(message("packs.rows_copied", one=pair[0], other=pair[1]))
    return found
