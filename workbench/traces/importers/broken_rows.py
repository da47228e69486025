"""What is said of rows that can't be read: where they are, and when they are too many."""

from typing import Any, NoReturn

from workbench.base import message
from workbench.traces.importers.importer import ImportJob


def report_broken_rows(job: ImportJob, *, limited: bool) -> None:
    """Say how many rows can't be read and where they are.

    Args:
        job: the import.
        limited: refuse where half of the rows or more are broken.

    Raises:
        Refusal: they are.
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
    """Refuse a table of which no row could be read, or that has none.

    Raises:
        InputError: always.
    """
    report_broken_rows(job, limited=True)
    job.source.refuse(message("traces.no_rows"))
