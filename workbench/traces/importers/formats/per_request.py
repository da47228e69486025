"""The CSV of `measure --per-request`: requests and their due times, without their results.

The file has no prefix identity, think times, cancel points or priorities.
"""

import hashlib
from typing import Any

import numpy as np

from workbench.base import message
from workbench.traces.canonical_rows import TraceHeader
from workbench.traces.columns import Bools, Floats, Ints, Labels
from workbench.traces.importers.import_rules import refuse_empty
from workbench.traces.importers.importer import Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.table_columns import Table, read_tables
from workbench.traces.io.import_report import SourceLatency
from workbench.traces.trace import Trace
from workbench.traces.trace_limits import MAX_ROWS, MAX_TIME_MS

COLUMNS = (
    "phase", "cls", "session_id", "turn", "input_tokens", "output_tokens",
    "due_s", "first_token_s", "done_s", "outcome",
)  # fmt: skip
_MOST_NAME, _SHOWN_NAME = 80, 60
_KNOWN_BY = ("request_id", "phase", "due_s", "released_s")


def matches(head: FileHead) -> bool:
    """Check for names that no other table has together."""
    return head.has_columns(*_KNOWN_BY)


def load(job: ImportJob) -> Draft:
    """Read every measured request with its due time; warm-up requests are left out."""
    parts = [_MeasuredRows(table) for table in read_tables(job, COLUMNS)]
    if not parts:
        refuse_empty(job)
    warmup = _joined(parts, "warmup")
    job.report.rows_read += len(warmup)
    job.report.drop(message("traces.warmup_request"), int(warmup.sum()))
    kept = np.flatnonzero(~warmup)
    turns = _joined(parts, "turn")[kept]
    sessions = [session for part in parts for session in part.sessions]
    _note(job, np.array([outcome for part in parts for outcome in part.outcomes], np.str_)[kept])
    trace = Trace(
        header=TraceHeader(source="requests of an earlier measurement (--per-request)"),
        timestamp_ms=1000 * _joined(parts, "due_s")[kept],
        input_length=_joined(parts, "prompt")[kept],
        output_length=_joined(parts, "output")[kept],
        classes=Labels.of(cls for part in parts for cls in part.classes).select(kept),
        sessions=_sessions_by_pass([sessions[row] for row in kept.tolist()], turns),
        turn=turns if np.any(turns >= 0) else None,
    )
    if np.any(turns > 0):
        job.report.warn(message("traces.no_think_times"))
    latency = SourceLatency(ttft_ms=_joined(parts, "ttft_ms")[kept], e2e_ms=_joined(parts, "e2e_ms")[kept])
    return Draft(trace=trace, latency=latency)


def _joined(parts: "list[_MeasuredRows]", name: str) -> Any:
    return np.concatenate([getattr(part, name) for part in parts])


class _MeasuredRows:
    """The used columns of some rows, without the broken rows."""

    def __init__(self, table: Table) -> None:
        due_s = table.seconds("due_s")
        prompt, output, turn = table.tokens("input_tokens"), table.tokens("output_tokens"), _turns(table)
        completed = np.array([cell == "completed" for cell in table.texts("outcome")], np.bool_)
        ttft_ms = _since(due_s, _seconds_or_nan(table, "first_token_s"))
        e2e_ms = np.where(completed, _since(due_s, _seconds_or_nan(table, "done_s")), np.nan)
        warmup = np.array([cell == "warmup" for cell in table.texts("phase")], np.bool_)
        numbers = table.good_rows(warmup, due_s, prompt, output, turn, ttft_ms, e2e_ms)
        self.warmup, self.due_s, self.prompt, self.output, self.turn, self.ttft_ms, self.e2e_ms = numbers
        self.classes, self.sessions, self.outcomes = table.good_rows(
            _names(table, "cls"), _names(table, "session_id"), table.texts("outcome")
        )


def _note(job: ImportJob, outcomes: "np.ndarray[tuple[int], np.dtype[np.str_]]") -> None:
    job.report.note(message("traces.wall_seconds"))
    job.report.note(message("traces.asked_lengths"))
    cancelled = int(np.count_nonzero(outcomes == "cancelled"))
    if cancelled:
        job.report.warn(message("traces.cancelled_run_on", count=cancelled))


def _names(table: Table, name: str) -> list[str | None]:
    return [_short(cell) or None for cell in table.texts(name)]


def _short(name: str) -> str:
    """Shorten a long name to its beginning and a digest, so that names stay distinct."""
    if len(name) <= _MOST_NAME:
        return name
    return f"{name[:_SHOWN_NAME]}…{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _given(table: Table, name: str) -> Bools:
    """Mask of non-empty cells (`nan` counts as empty)."""
    return np.array([cell.strip() not in ("", "nan") for cell in table.texts(name)], np.bool_)


def _turns(table: Table) -> Ints:
    values = table.numbers_or_nan("turn")
    given = _given(table, "turn")
    table.require(~given | np.isfinite(values), "turn", message("traces.not_whole"))
    whole = np.where(given & np.isfinite(values), values, -1.0)
    table.require(whole == np.floor(whole), "turn", message("traces.not_whole"))
    outside = message("traces.not_from_0", maximum=MAX_ROWS)
    table.require((whole >= -1) & (whole <= MAX_ROWS), "turn", outside)
    return np.where(table.good, whole, -1.0).astype(np.int64)


def _seconds_or_nan(table: Table, name: str) -> Floats:
    """Return times, NaN for requests that didn't reach them; other cells break their row.

    Raises:
        Refusal: a cell holds something else.
    """
    values = table.numbers_or_nan(name)
    given = _given(table, name)
    good = np.isfinite(values) & (np.abs(values) <= MAX_TIME_MS / 1000)
    table.require(~given | good, name, message("traces.not_seconds"))
    return np.where(given & good, values, np.nan)


def _since(begin_s: Floats, end_s: Floats) -> Floats:
    return (end_s - begin_s) * 1000


def _sessions_by_pass(sessions: list[str | None], turns: Ints) -> Labels | None:
    """Return sessions by name; a session repeated by a later pass over its trace gets a name of its own."""
    if all(session is None for session in sessions):
        return None
    passes: dict[tuple[str, int], int] = {}
    names: list[str | None] = []
    for session, turn in zip(sessions, turns.tolist(), strict=True):
        if session is None or turn < 0:
            names.append(session)
            continue
        number = passes[session, turn] = passes.get((session, turn), 0) + 1
        names.append(session if number == 1 else f"{session} ({number})")
    return Labels.of(names)


IMPORTERS = (Importer(name="per-request", matches=matches, load=load),)
