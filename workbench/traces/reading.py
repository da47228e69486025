"""From a file to a trace: find the format, read the rows, drop and warn by the rules, put in order."""

from pathlib import Path

from workbench.traces.finish import finish
from workbench.traces.importers import IMPORTERS
from workbench.traces.importers.formats import Importer, Job, choose, sample
from workbench.traces.importers.mapped import load_mapped
from workbench.traces.mapping import ColumnMapping
from workbench.traces.report import Imported, ImportReport
from workbench.traces.source import Cancelled, Progress, Source
from workbench.traces.texts import CountTokens, Texts
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
    salt: bytes | None = None,
    count_tokens: CountTokens | None = None,
    columns: ColumnMapping | None = None,
    keep_text: bool = False,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Imported:
    """Read a file of any known format, by its content unless `format` names one.

    Of logs that hold text only lengths, times, sessions and salted ids of prefix blocks are kept. Without
    `salt` the ids are then numbered anew; with the same salt two imports of the same prompts have the same
    ids. `count_tokens` counts the tokens of texts whose length the log doesn't say; None estimates them.
    `columns` reads any table by the meaning of its columns. `keep_text` holds prompts in memory
    (`Imported.texts`) for a replay of the real text, which nothing writes.

    Raises:
        InputError: the file can't be used; one line with file, line and field.
        ImportStoppedError: `cancelled` said so.
    """
    with Source(Path(path), progress=progress, cancelled=cancelled) as source:
        seen = sample(source)
        importer = _mapped(columns) if columns else choose(IMPORTERS, seen, source, format)
        report = ImportReport(format=importer.name)
        job = Job(
            source=source,
            report=report,
            seen=seen,
            texts=Texts(salt=salt, count=count_tokens, keep=keep_text),
        )
        draft = importer.load(job)
    draft = finish(draft, job)
    if not len(draft.trace):
        source.fail(_nothing_left(report))
    return Imported(trace=draft.trace, report=report, latency=draft.latency, texts=draft.texts)


def _nothing_left(report: ImportReport) -> str:
    dropped = ", ".join(f"{count} {reason}" for reason, count in report.rows_dropped.items())
    return f"no request left of {report.rows_read} rows" + (f" ({dropped})" if dropped else "")


def _mapped(columns: ColumnMapping) -> Importer:
    return Importer(
        name="columns",
        title="mapped columns",
        matches=lambda _: False,
        load=lambda job: load_mapped(job, columns),
    )
