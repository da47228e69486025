"""Any CSV, or any JSON lines or list of objects, by a mapping of its columns."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from workbench.base import InputError
from workbench.traces.importers.collect import RowCollector, problem_of
from workbench.traces.importers.documents import values
from workbench.traces.importers.formats import Draft, Job
from workbench.traces.importers.instants import to_ns, unit_of
from workbench.traces.importers.logrows import NOT_JSON, SessionNames, count, known, number
from workbench.traces.importers.units import MS_PER, inferred_unit
from workbench.traces.limits import MAX_LINE_BYTES, MAX_ROWS
from workbench.traces.mapping import ColumnMapping
from workbench.traces.rows import TraceHeader, TraceRow
from workbench.traces.source import Source, shown_names

_LATEST_RELATIVE = 9e8
"""All numbers above this: seconds (or smaller units) since 1970, not since the trace's start."""

Record = dict[str, Any]


def load_mapped(job: Job, mapping: ColumnMapping) -> Draft:
    """Every record with the obligatory fields; others are dropped and counted by the field that was wrong."""
    kept: list[tuple[int, Any, Record]] = []
    bad: list[int] = []
    for line, record in flat_records(job.source, is_csv=bool(job.seen.columns), bad_lines=bad):
        job.report.rows_read += 1
        missing = next((column for column in mapping.columns.values() if column not in record), None)
        if line <= 2 and missing is not None and job.seen.columns:
            job.source.fail(f"no column {missing} (it has {shown_names(list(record))})", line=1)
        when = _time(record.get(mapping.columns["timestamp"]))
        if when is None:
            job.report.drop(f"field {mapping.columns['timestamp']}: not a time")
        else:
            kept.append((line, when, record))
    job.report.rows_read += len(bad)
    job.report.drop(NOT_JSON, len(bad))
    rows, sessions = RowCollector(job.source, TraceHeader(source="mapped columns")), SessionNames()
    times = _times_ms(job, mapping, [when for _, when, _ in kept])
    for (line, _, record), ms in zip(kept, times, strict=True):
        fields = {field: record.get(column) for field, column in mapping.columns.items()}
        _add(job, mapping, rows, line, ms, {**fields, "session_id": sessions.of(fields.get("session_id"))})
    return rows.draft()


def flat_records(source: Source, *, is_csv: bool, bad_lines: list[int]) -> Iterator[tuple[int, Record]]:
    """Numbered records whose nested members have dotted names (`usage.input`)."""
    if is_csv:
        yield from _csv_records(source)
        return
    for line, value in values(source, bad_lines=bad_lines):
        if isinstance(value, dict):
            yield line, _flat(value)
        else:
            bad_lines.append(line)


def _csv_records(source: Source) -> Iterator[tuple[int, Record]]:
    csv.field_size_limit(MAX_LINE_BYTES)
    text = io.TextIOWrapper(io.BufferedReader(source.open()), encoding="utf-8", newline="")
    reader = csv.DictReader(text)
    try:
        for rows, record in enumerate(reader):
            if rows >= MAX_ROWS:
                source.fail(f"more than {MAX_ROWS:,} rows")
            yield reader.line_num, {str(name).strip(): value for name, value in record.items()}
    except csv.Error as error:
        source.fail(f"not a table: {error}", line=reader.line_num)


def _flat(value: Record, prefix: str = "", depth: int = 0) -> Record:
    flat: Record = {}
    for key, inner in value.items():
        name = f"{prefix}{key}"
        if isinstance(inner, dict) and depth < 8:
            flat |= _flat(inner, f"{name}.", depth + 1)
        else:
            flat[name] = inner
    return flat


def _time(value: Any) -> int | float | str | None:
    """A time stamp as a number or a date's text, None if it is neither."""
    if isinstance(value, str):
        text = value.strip()
        try:
            return int(text) if text.lstrip("-").isdigit() and len(text) < 20 else _finite(float(text))
        except ValueError:
            return text if to_ns(text) is not None else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) else _finite(value)


def _finite(value: float) -> float | None:
    return value if abs(value) < 1e20 else None


def _times_ms(job: Job, mapping: ColumnMapping, times: list[Any]) -> list[float]:
    """Times in ms; the report says which unit was read, and why."""
    column = mapping.columns["timestamp"]
    dates = [time for time in times if isinstance(time, str)]
    if dates and len(dates) < len(times):
        raise InputError(f"{job.source.path}: field {column}: dates and plain numbers in one column")
    if dates:
        job.report.note(f"{column} read as dates with a time of day; those without a zone as UTC")
        instants = [to_ns(time) or 0 for time in times]
        return [(ns - min(instants)) / 1e6 for ns in instants]
    if not times:
        return []
    unit, why = _unit(mapping, column, times)
    job.report.note(f"{column} read as {unit}: {why}")
    first = min(times)
    return [(time - first) * MS_PER[unit] for time in times]


def _unit(mapping: ColumnMapping, column: str, times: list[Any]) -> tuple[str, str]:
    if mapping.unit is not None:
        return mapping.unit, "as asked"
    if min(times) > _LATEST_RELATIVE:
        return unit_of(min(times)), "numbers of this size count from 1970"
    return inferred_unit(np.array(times, np.float64), column)


def _add(
    job: Job, mapping: ColumnMapping, rows: RowCollector, line: int, ms: float, fields: dict[str, Any]
) -> None:
    prompt, output = count(fields["input_length"]), count(fields["output_length"])
    if prompt is None or output is None:
        wrong = mapping.columns["input_length" if prompt is None else "output_length"]
        job.report.drop(f"field {wrong}: not a number of tokens")
        return
    row = TraceRow(
        timestamp=ms,
        input_length=prompt,
        output_length=output,
        cls=_name(fields.get("class")),
        session_id=fields["session_id"],
        turn=count(fields.get("turn")),
        delay=_optional(fields.get("delay")),
        cancel_after_tokens=count(fields.get("cancel_after_tokens")),
        cancel_after_ms=_optional(fields.get("cancel_after_ms")),
        priority=count(fields.get("priority")) or 0,
    )
    problem = problem_of(row)
    if problem:
        job.report.drop(problem)
    else:
        rows.add(row, line=line, ttft_ms=number(fields.get("ttft_ms")), e2e_ms=number(fields.get("e2e_ms")))


def _name(value: Any) -> str | None:
    return None if value is None or value == "" or not isinstance(value, str | int) else str(value)


def _optional(value: Any) -> float | None:
    given = number(value)
    return given if known(given) else None
