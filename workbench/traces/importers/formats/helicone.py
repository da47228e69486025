"""Helicone exports (`npx @helicone/export`, JSON, JSON lines or CSV)."""

from collections.abc import Iterator
from typing import Any

from workbench.traces.importers.chat_text import message_text
from workbench.traces.importers.importer import Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.json_records import records
from workbench.traces.importers.log_rows import (
    FAILED,
    LogRows,
    finite_number,
    first_given,
    token_count,
    value_at,
)
from workbench.traces.importers.table_columns import table_of, table_records

_SESSION = ("Helicone-Session-Id", "helicone-session-id")
_OK = 400


def matches(head: FileHead) -> bool:
    """Check for names of time and request that only Helicone has."""
    names = ("request_created_at", "prompt_tokens")
    record = value_at(head.first, "data")
    record = record[0] if isinstance(record, list) and record else head.first
    return head.has_columns(*names) or (isinstance(record, dict) and all(name in record for name in names))


def load(job: ImportJob) -> Draft:
    """Read every answered request."""
    rows = LogRows(job, "Helicone export")
    for line, record in _csv_records(job) if job.head.columns else records(rows):
        status = finite_number(first_given(record, "response_status", "status"))
        if status >= _OK:
            rows.drop(FAILED)
        else:
            _add(rows, line, record)
    return rows.draft()


def _csv_records(job: ImportJob) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, record in table_records(table_of(job)):
        yield line, {name: value or None for name, value in record.items()}


def _add(rows: LogRows, line: int, record: dict[str, Any]) -> None:
    text = message_text(record.get("request_body"))
    rows.add(
        line=line,
        start=record.get("request_created_at"),
        input_tokens=token_count(record.get("prompt_tokens")),
        output_tokens=token_count(record.get("completion_tokens")),
        session=_session(record),
        first_token=finite_number(record.get("time_to_first_token")),
        end=finite_number(first_given(record, "delay_ms", "latency")),
        prompt=text,
    )


def _session(record: dict[str, Any]) -> Any:
    properties = first_given(record, "request_properties", "properties")
    return first_given(properties, *_SESSION) or first_given(record, "session_id", *_SESSION)


IMPORTERS = (Importer(name="helicone", matches=matches, load=load, is_log=True),)
