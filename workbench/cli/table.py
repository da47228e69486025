"""The scorecard as a table of text."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.base import message, short_number, shown
from workbench.results import BenchFile, remedies, scorecard_rows, stored_reasons

_COLUMNS = (
    ("run", "run"),
    ("offered_rps", "offered/s"),
    ("completed_rps", "completed/s"),
    ("ttft_p95_ms", "TTFT p95 ms"),
    ("queue_p95_ms", "queue p95 ms"),
    ("e2e_p95_ms", "E2E p95 ms"),
    ("error_rate", "error rate"),
    ("preemptions", "preemptions"),
)


def scorecard_table(bench: Path) -> str:
    """Return the guide's eight columns of every row, numbers right-aligned, with the row's marks."""
    with BenchFile.open(bench) as file:
        rows = [row.cells for row in scorecard_rows(file)]
    return rows_table(rows)


def rows_table(rows: Sequence[dict[str, Any]], before: Sequence[tuple[str, str]] = ()) -> str:
    """Return rows of one or several bench files as `scorecard_table` does.

    `before` are columns to put first, as names and titles.
    """
    columns = [*before, *_COLUMNS]
    head = [title for _, title in columns]
    body = [[_cell(row, key) for key, _ in columns] for row in rows]
    widths = [max(len(line[column]) for line in [head, *body]) for column in range(len(head))]
    lines = [_line(head, widths)]
    lines += [_line(cells, widths) + _marks(row) for cells, row in zip(body, rows, strict=True)]
    return "\n".join(lines)


def repeat_offered(bench: Path) -> list[str]:
    """Return how invalid runs can be done again, and what may help; empty where all are valid."""
    with BenchFile.open(bench) as file:
        runs = [run for run in file.runs() if run.status == "done"]
    reasons = [reason for run in runs for reason in stored_reasons(run.summary)]
    invalid = sum(run.figures.valid is False for run in runs)
    if not invalid:
        return []
    again = message("cli.invalid_again", count=invalid, bench=shlex.quote(str(bench)))
    return [str(again), *(f"what may help: {remedy}" for remedy in remedies(reasons))]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = cells
    return "  ".join(
        [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))]
    )


def _cell(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    bound = "≥ " if key in str(row.get("lower_bounds") or "").split() else ""
    if value is None:
        return _bounds(row) if key == "queue_p95_ms" else "–"
    if isinstance(value, str):
        return shown(value, None)
    number = f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return f"{bound}{number}"


def _bounds(row: dict[str, Any]) -> str:
    """Return the bounds of a percentile that is known only by its bucket."""
    low, high = row.get("queue_p95_lo_ms"), row.get("queue_p95_hi_ms")
    if low is None:
        return "–"
    return f"> {short_number(low)}" if high is None else f"{short_number(low)} to {short_number(high)}"


def _marks(row: dict[str, Any]) -> str:
    marks = []
    if row.get("simulated"):
        marks.append("simulated")
    if row.get("diverging"):
        marks.append("diverging: percentiles depend on the run's length")
    if row.get("valid") is False:
        marks.append(f"INVALID: {row.get('reasons')}")
    if row.get("implausible"):
        marks.append(str(row["implausible"]))
    if row.get("notes"):
        marks.append(str(row["notes"]))
    return f"   {'; '.join(marks)}" if marks else ""
