"""From a file to a trace: find the format, read the rows, drop and warn by the rules, put in order."""

from pathlib import Path

from workbench.traces.finish import finish
from workbench.traces.importers import IMPORTERS
from workbench.traces.importers.formats import choose, sample
from workbench.traces.report import Imported, ImportReport
from workbench.traces.source import Cancelled, Progress, Source
from workbench.traces.trace import Trace


def read_trace(path: Path | str, *, format: str | None = None) -> Trace:  # noqa: A002 - the option's name
    """The trace in a file of any known format (see `import_trace`).

    Raises:
        InputError: the file can't be used; one line with file, line and field.
    """
    return import_trace(path, format=format).trace


def import_trace(
    path: Path | str,
    *,
    format: str | None = None,  # noqa: A002 - the option's name
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Imported:
    """Read a file of any known format, by its content unless `format` names one.

    Raises:
        InputError: the file can't be used; one line with file, line and field.
        ImportStoppedError: `cancelled` said so.
    """
    with Source(Path(path), progress=progress, cancelled=cancelled) as source:
        importer = choose(IMPORTERS, sample(source), source, format)
        report = ImportReport(format=importer.name)
        draft = importer.load(source, report)
    trace, latency = finish(draft, report)
    if not len(trace):
        dropped = ", ".join(f"{count} {reason}" for reason, count in report.rows_dropped.items())
        source.fail(f"no request left of {report.rows_read} rows" + (f" ({dropped})" if dropped else ""))
    return Imported(trace=trace, report=report, latency=latency)
