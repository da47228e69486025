"""The records of a JSON log, however it was exported."""

from collections.abc import Iterator, Sequence
from typing import Any

from workbench.traces.importers.documents import values
from workbench.traces.importers.logrows import NOT_JSON, LogRows

WRAPPERS = ("data", "observations", "logs", "rows", "items")
"""Keys under which APIs put a page of records."""


def records(rows: LogRows, wrappers: Sequence[str] = WRAPPERS) -> Iterator[tuple[int, dict[str, Any]]]:
    """Numbered JSON objects.

    One a line, items of a list, or under a wrapping key. Others are counted as dropped.
    """
    bad: list[int] = []
    for line, value in values(rows.job.source, bad_lines=bad):
        for record in _unwrapped(value, wrappers):
            if isinstance(record, dict):
                yield line, record
            else:
                rows.drop("not a JSON object")
    for _ in bad:
        rows.drop(NOT_JSON)


def _unwrapped(value: Any, wrappers: Sequence[str]) -> Sequence[Any]:
    if isinstance(value, dict):
        for key in wrappers:
            if isinstance(value.get(key), list):
                return list(value[key])
    return [value]
