"""From a file to a trace: find the format, read the rows, drop and warn by the rules, put in order."""

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from workbench.base import Place, Refusal
from workbench.traces.finish import finish
from workbench.traces.importers import IMPORTERS
from workbench.traces.importers.broken import tell_broken
from workbench.traces.importers.formats import Importer, Job, Sample, choose, refuse_unknown, sample
from workbench.traces.importers.instants import is_date
from workbench.traces.importers.logs.records import unwrapped
from workbench.traces.importers.mapped import flat, load_mapped, note_names
from workbench.traces.mapping import UNITS, ColumnMapping, by_meaning
from workbench.traces.report import Imported, ImportReport
from workbench.traces.source import Cancelled, Progress, Source, shown_names
from workbench.traces.texts import CountTokens, Texts
from workbench.traces.trace import Trace


def read_trace(
    path: Path | str,
    *,
    format: str | None = None,  # noqa: A002 - the option's name
    time_unit: str | None = None,
) -> Trace:
    """The trace in a file of any known format (see `import_trace`).

    Raises:
        InputError: the file can't be used; one line with file, line and field.
    """
    return import_trace(path, format=format, time_unit=time_unit).trace


def import_trace(  # noqa: PLR0913 - the options of `trace inspect`, each by its name
    path: Path | str,
    *,
    format: str | None = None,  # noqa: A002 - the option's name
    salt: bytes | None = None,
    count_tokens: CountTokens | None = None,
    columns: ColumnMapping | None = None,
    time_unit: str | None = None,
    keep_text: bool = False,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Imported:
    """Read a file of any known format, by its content unless `format` names one.

    Of logs that hold text only lengths, times, sessions and salted ids of prefix blocks are kept. Without
    `salt` the ids are then numbered anew; with the same salt two imports of the same prompts have the same
    ids. `count_tokens` counts the tokens of texts whose length the log doesn't say; None estimates them.
    `columns` reads any table by the meaning of its columns. `time_unit` is the unit of numeric times, where
    neither the format nor their size says it. `keep_text` holds prompts in memory
    (`Imported.texts`) for a replay of the real text, which nothing writes.

    Raises:
        InputError: the file can't be used; one line with file, line and field.
        ImportStoppedError: `cancelled` said so.
    """
    with Source(Path(path), progress=progress, cancelled=cancelled) as source:
        seen = sample(source)
        mapping = columns
        importer = _mapped(columns) if columns else choose(IMPORTERS, seen, format)
        if importer is None:
            mapping = _by_meaning(source, seen)
            importer = _mapped(mapping)
        report = ImportReport(format=importer.name)
        job = Job(
            source=source,
            report=report,
            seen=seen,
            texts=Texts(salt=salt, count=count_tokens, keep=keep_text),
            time_unit=_checked_unit(time_unit),
            chosen=columns is not None,
        )
        if mapping is not None and columns is None:
            note_names(job, mapping)
        draft = importer.load(job)
        for said in source.mentioned:
            report.note(said)
        tell_broken(job, limited=not importer.is_log)
        draft = finish(draft, job)
        if not len(draft.trace):
            source.fail(_nothing_left(report))
    return Imported(trace=draft.trace, report=report, latency=draft.latency, texts=draft.texts)


def _by_meaning(source: Source, seen: Sample) -> ColumnMapping:
    """The mapping that the names of a table's columns, or of an object's members, leave no doubt about.

    Raises:
        InputError: they don't.
    """
    names = _names(seen)
    mapping, doubtful = by_meaning(names)
    if mapping is None:
        _refuse_names(source, seen, names, doubtful)
    return mapping


def _refuse_names(source: Source, seen: Sample, names: list[str], doubtful: dict[str, list[str]]) -> NoReturn:
    for field, candidates in doubtful.items():
        source.refuse("traces.columns_doubtful", field=field, columns=[shown_names(candidates)])
    if seen.dialect is not None and _are_values(names):
        source.refuse("traces.no_header", line=seen.dialect.header_line)
    refuse_unknown(IMPORTERS, seen, source)


def _names(seen: Sample) -> list[str]:
    if seen.dialect is not None:
        return list(seen.columns)
    first = next(iter(unwrapped(seen.first)), None)
    return list(flat(first)) if isinstance(first, dict) else []


def _are_values(names: Sequence[str]) -> bool:
    """Whether a header's names are numbers and dates: the table has no header."""
    told = [name for name in names if name]
    values = sum(name.replace(".", "").replace(",", "").isdigit() or is_date(name) for name in told)
    return len(told) > 1 and values == len(told)


def _checked_unit(unit: str | None) -> str | None:
    if unit is not None and unit not in UNITS:
        raise Refusal("base.not_one_of", Place(key="time_unit"), value=unit, choices=list(UNITS))
    return unit


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
