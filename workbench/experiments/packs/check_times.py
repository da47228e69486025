"""Hold the wall times of a pack against each other: experiments, runs, log lines, sessions, order."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from workbench.base import Message, message, parse_utc
from workbench.experiments.packs.evidence import SessionEvidence
from workbench.experiments.packs.order import OrderTerms
from workbench.results import IMPORTED, BenchFile, RunEntry

_SLACK = timedelta(seconds=5)
"""A time server may set the clock a little during a plan."""
_CLOCKS_DIFFER = timedelta(hours=1)
"""Two machines' clocks may differ by this."""
_STEP_S = 2.0


def time_findings(
    bench: BenchFile, sessions: Sequence[SessionEvidence] = (), terms: OrderTerms | None = None
) -> list[Message]:
    """Return the wall times that contradict each other."""
    if any(_clock_stepped(run) for run in bench.runs()):
        return []  # The run itself is invalid for that.
    runs = [run for run in bench.runs() if run.status != IMPORTED]
    return [
        *_overlapping(runs),
        *_outside_experiments(bench, runs),
        *_log_elsewhere(bench, runs),
        *((*_too_short(runs), *_outside_sessions(runs, sessions)) if sessions else ()),
        *(_before_order(runs, terms) if terms is not None else ()),
    ]


def _clock_stepped(run: RunEntry) -> bool:
    step = run.inputs.conditions.clock_step_s if run.inputs else None
    return step is not None and abs(step) > _STEP_S


def _span(run: RunEntry) -> tuple[datetime, datetime] | None:
    if run.ended_utc is None:
        return None
    return parse_utc(run.started_utc), parse_utc(run.ended_utc)


def _too_short(runs: Sequence[RunEntry]) -> Iterator[Message]:
    """Yield runs that took less wall time than their load."""
    for run in runs:
        span, frame = _span(run), run.frame
        if span is None or frame is None or frame.ended is None or run.status not in ("done", "replaced"):
            continue
        took = (span[1] - span[0]).total_seconds()
        if took < frame.ended - _SLACK.total_seconds():
            yield message("packs.run_too_short", run=run.name, took_s=took, load_s=frame.ended)


def _overlapping(runs: Sequence[RunEntry]) -> Iterator[Message]:
    """Yield runs that began before the run before them had ended; one server serves one run at a time."""
    spans = [(run, span) for run in runs if (span := _span(run)) is not None]
    for (before, (_, ended)), (after, (started, _)) in pairwise(spans):
        if started < ended - _SLACK:
            yield message("packs.runs_overlap", one=before.name, other=after.name)


def _outside_experiments(bench: BenchFile, runs: Sequence[RunEntry]) -> Iterator[Message]:
    entries = {entry.id: entry for entry in bench.experiments()}
    for run in runs:
        entry, span = entries[run.experiment_id], _span(run)
        ended = None if entry.ended_utc is None else parse_utc(entry.ended_utc)
        early = parse_utc(run.started_utc) < parse_utc(entry.started_utc) - _SLACK
        if early or (span is not None and ended is not None and span[1] > ended + _SLACK):
            yield message("packs.run_outside", run=run.name)


def _log_elsewhere(bench: BenchFile, runs: Sequence[RunEntry]) -> Iterator[Message]:
    """Yield runs whose log lines bear times outside the run."""
    for run in runs:
        span = _span(run)
        if span is None:
            continue
        lines = [parse_utc(line.utc) for line in bench.log(run.id)]
        count = sum(not span[0] - _SLACK <= utc <= span[1] + _SLACK for utc in lines)
        if count:
            yield message("packs.log_outside", run=run.name, count=count, of=len(lines))


def _outside_sessions(runs: Sequence[RunEntry], sessions: Sequence[SessionEvidence]) -> Iterator[Message]:
    spans = [(parse_utc(each.started_utc), parse_utc(each.ended_utc)) for each in sessions]
    for run in runs:
        span = _span(run)
        if span is not None and not any(
            begun - _SLACK <= span[0] and span[1] <= ended + _SLACK for begun, ended in spans
        ):
            yield message("packs.run_outside_sessions", run=run.name)


def _before_order(runs: Sequence[RunEntry], terms: OrderTerms) -> Iterator[Message]:
    ordered = parse_utc(terms.created_utc)
    for run in runs:
        if parse_utc(run.started_utc) < ordered - _CLOCKS_DIFFER:
            yield message(
                "packs.run_before_order", run=run.name, started=run.started_utc, ordered=terms.created_utc
            )
