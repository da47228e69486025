"""Report rows that can't be read, and refuse a file with too many of them."""

from typing import Any, NoReturn

from workbench.base import message
from workbench.traces.importers.importer import ImportJob


def report_broken_rows(job: ImportJob, *, limited: bool) -> None:
    """Warn of rows that can't be read, with their lines.

    Args:
        job: the import.
        limited: refuse the file if half of its rows or more are broken.

    Raises:
        Refusal: half of the rows or more are broken.
    """
    broken, report = job.report.broken, job.report
    if not broken.count:
        return
    values: dict[str, Any] = {
        "count": broken.count,
        "rows": report.rows_read,
        "counts": job.source.counts,
        "lines": broken.named(),
        "problem": broken.problem,
    }
    if limited and 2 * broken.count >= report.rows_read:
        if broken.count == 1:
            job.source.refuse(message("traces.row_broken", **values), line=broken.lines[0])
        job.source.refuse(message("traces.too_many_broken", **values), line=broken.lines[0])
    one = broken.count == 1
    report.warn(message("traces.broken_row", **values) if one else message("traces.broken_rows", **values))


def refuse_empty(job: ImportJob) -> NoReturn:
    """Refuse a table without a readable row.

    Raises:
        Refusal: always.
    """
    report_broken_rows(job, limited=True)
    job.source.refuse(message("traces.no_rows"))
