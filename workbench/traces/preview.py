"""The first records of any table, with what its columns might mean: what a mapping dialog shows."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from workbench.traces.importers.formats import Job, sample
from workbench.traces.importers.mapped import flat_records
from workbench.traces.mapping import suggested
from workbench.traces.report import ImportReport
from workbench.traces.source import Source


@dataclass(frozen=True, kw_only=True)
class TablePreview:
    """Names of columns (dotted for nested members), the first records, and a suggestion per field."""

    columns: tuple[str, ...]
    records: tuple[dict[str, Any], ...]
    suggestion: dict[str, str]


def preview_table(path: Path | str, *, records: int = 20) -> TablePreview:
    """Look at the beginning of a CSV or of JSON objects, for choosing its columns.

    Raises:
        InputError: the file can't be read, or is neither.
    """
    with Source(Path(path)) as source:
        seen = sample(source)
        job = Job(source=source, report=ImportReport(format="columns"), seen=seen)
        found = [record for _, record in islice(flat_records(source, seen, job), records)]
    if not found:
        source.fail("neither a CSV with rows nor JSON objects")
    columns = tuple(dict.fromkeys(name for record in found for name in record))
    return TablePreview(columns=columns, records=tuple(found), suggestion=suggested(list(columns)))
