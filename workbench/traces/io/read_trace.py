"""Import of a trace: find the format, read the rows, drop and warn by the rules, sort."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from workbench.base import Message, Place, Refusal, message
from workbench.traces.importers import IMPORTERS
from workbench.traces.importers.import_rules import finish, report_broken_rows
from workbench.traces.importers.importer import (
    FileHead,
    Importer,
    ImportJob,
    choose,
    read_head,
    refuse_unknown,
)
from workbench.traces.importers.instants import is_date
from workbench.traces.importers.json_records import unwrapped
from workbench.traces.importers.mapped_columns import flat_records, flattened, load_mapped, note_columns
from workbench.traces.io.column_mapping import UNITS, ColumnMapping, mapping_from_names, suggested_columns
from workbench.traces.io.import_report import Imported, ImportReport
from workbench.traces.io.source_file import Cancelled, Progress, Source, shown_names
from workbench.traces.prompt_texts import CountTokens, PromptTexts
from workbench.traces.trace import Trace


def read_trace(
    path: Path | str,
    *,
    format: str | None = None,  # noqa: A002 - the option's name
    time_unit: str | None = None,
) -> Trace:
    """Read the trace in a file of any known format (see `import_trace`).

    Raises:
        Refusal: the file can't be used; names file, line and field.
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
    """Read a file of any known format, found by its content unless `format` names one.

    From logs with text only lengths, times, sessions and salted ids of prefix blocks are kept.

    Args:
        path: the file.
        format: the importer's name.
        salt: with the same salt, two imports of the same prompts have the same ids. Without it ids are
            renumbered.
        count_tokens: counts the tokens of texts without a logged length; None estimates them.
        columns: reads any table by a mapping of its columns.
        time_unit: the unit of numeric times, if neither the format nor their size shows it.
        keep_text: keep prompts in memory (`Imported.texts`) for a replay of the real text. Nothing writes
            them.
        progress: called with the share of the file that is read.
        cancelled: asked regularly whether the user cancelled.

    Raises:
        Refusal: the file can't be used; names file, line and field.
        ImportStoppedError: `cancelled` returned true.
    """
    with Source(Path(path), progress=progress, cancelled=cancelled) as source:
        head = read_head(source)
        mapping = columns
        importer = _mapped(columns) if columns else choose(IMPORTERS, head, format)
        if importer is None:
            mapping = _by_meaning(source, head)
            importer = _mapped(mapping)
        report = ImportReport(format=importer.name)
        job = ImportJob(
            source=source,
            report=report,
            head=head,
            texts=PromptTexts(salt=salt, count=count_tokens, keep=keep_text),
            time_unit=_checked_unit(time_unit),
            chosen=columns is not None,
        )
        if mapping is not None and columns is None:
            note_columns(job, mapping)
        draft = importer.load(job)
        for assumption in source.assumptions:
            report.note(assumption)
        report_broken_rows(job, limited=not importer.is_log)
        draft = finish(draft, job)
        if not len(draft.trace):
            source.refuse(_nothing_left(report))
    return Imported(trace=draft.trace, report=report, latency=draft.latency, texts=draft.texts)


def _by_meaning(source: Source, head: FileHead) -> ColumnMapping:
    """Return the mapping if the names of columns, or of an object's members, are unambiguous.

    Raises:
        Refusal: they are ambiguous.
    """
    names = _names(head)
    mapping, doubtful = mapping_from_names(names)
    if mapping is None:
        _refuse_names(source, head, names, doubtful)
    return mapping


def _refuse_names(
    source: Source, head: FileHead, names: list[str], doubtful: dict[str, list[str]]
) -> NoReturn:
    for field, candidates in doubtful.items():
        source.refuse(message("traces.columns_doubtful", field=field, columns=[shown_names(candidates)]))
    if head.dialect is not None and _are_values(names):
        source.refuse(message("traces.no_header"), line=head.dialect.header_line)
    refuse_unknown(IMPORTERS, head, source)


def _names(head: FileHead) -> list[str]:
    if head.dialect is not None:
        return list(head.columns)
    first = next(iter(unwrapped(head.first)), None)
    return list(flattened(first)) if isinstance(first, dict) else []


def _are_values(names: Sequence[str]) -> bool:
    """Check whether a header's names are numbers and dates: then the table has no header."""
    given = [name for name in names if name]
    values = sum(name.replace(".", "").replace(",", "").isdigit() or is_date(name) for name in given)
    return len(given) > 1 and values == len(given)


def _checked_unit(unit: str | None) -> str | None:
    if unit is not None and unit not in UNITS:
        raise Refusal("base.not_one_of", Place(key="time_unit"), value=unit, choices=list(UNITS))
    return unit


def _nothing_left(report: ImportReport) -> Message:
    dropped = [
        message("traces.dropped_rows", count=each.count, reason=each.reason) for each in report.dropped
    ]
    if dropped:
        return message("traces.nothing_left_of", rows=report.rows_read, dropped=dropped)
    return message("traces.nothing_left", rows=report.rows_read)


def _mapped(columns: ColumnMapping) -> Importer:
    return Importer(
        name="columns",
        matches=lambda _: False,
        load=lambda job: load_mapped(job, columns),
    )


@dataclass(frozen=True, kw_only=True)
class TablePreview:
    """Names of columns (dotted for nested members), the first records, and a suggestion for each field."""

    columns: tuple[str, ...]
    records: tuple[dict[str, Any], ...]
    suggestion: dict[str, str]


def preview_table(path: Path | str, *, records: int = 20) -> TablePreview:
    """Read the beginning of a CSV or of JSON objects, for choosing its columns.

    Raises:
        Refusal: the file can't be read, or is neither.
    """
    with Source(Path(path)) as source:
        head = read_head(source)
        job = ImportJob(source=source, report=ImportReport(format="columns"), head=head)
        found = [record for _, record in islice(flat_records(source, head, job), records)]
    if not found:
        source.refuse(message("traces.no_preview"))
    columns = tuple(dict.fromkeys(name for record in found for name in record))
    return TablePreview(columns=columns, records=tuple(found), suggestion=suggested_columns(list(columns)))
