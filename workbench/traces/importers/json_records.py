"""Records of JSON logs in any export form."""

from collections.abc import Iterator, Sequence
from typing import Any

from workbench.base import message
from workbench.traces.importers.json_documents import values
from workbench.traces.importers.log_rows import LogRows

WRAPPERS = (
    "data",
    "observations",
    "logs",
    "rows",
    "items",
    "records",
    "results",
    "requests",
    "traces",
    "events",
)
"""Keys under which APIs and exports put a page of records."""


def records(rows: LogRows, wrappers: Sequence[str] = WRAPPERS) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield numbered JSON objects: one a line, items of a list, or a page under a wrapping key.

    Other values are counted as dropped.
    """
    for line, value in values(rows.job.source, broken=rows.broken):
        for record in unwrapped(value, wrappers):
            if isinstance(record, dict):
                yield line, record
            else:
                rows.drop(message("traces.not_an_object"))


def unwrapped(value: Any, wrappers: Sequence[str] = WRAPPERS) -> Sequence[Any]:
    """Return the records in one value: a page, the columns of a data frame, or the value itself."""
    if not isinstance(value, dict):
        return [value]
    for key in wrappers:
        inner = value.get(key)
        if isinstance(inner, list) and (not inner or isinstance(inner[0], dict)):
            return inner
    return _rows_of_columns(value) or [value]


def _rows_of_columns(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the records of columns that pandas wrote: `{"t": [1, 2]}` or `{"t": {"0": 1, "1": 2}}`."""
    if len(columns) < 2:
        return []
    lists = [each for each in columns.values() if isinstance(each, list)]
    if len(lists) == len(columns) and len({len(each) for each in lists}) == 1 and len(lists[0]) > 1:
        return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]
    indexed = [each for each in columns.values() if isinstance(each, dict)]
    if len(indexed) < len(columns) or len(indexed[0]) < 2 or not all(key.isdigit() for key in indexed[0]):
        return []
    if all(each.keys() == indexed[0].keys() for each in indexed):
        return [{name: each[key] for name, each in zip(columns, indexed, strict=True)} for key in indexed[0]]
    return []
