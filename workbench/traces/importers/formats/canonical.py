"""The canonical trace, exactly as `write_trace` writes it: a header line, then one row a line."""

from typing import Any

import msgspec

from workbench.base import UNREADABLE, message
from workbench.traces.canonical_rows import RATE_SCALING, TraceHeader, TraceRow
from workbench.traces.importers.importer import PARTICULAR, Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.json_rows import decode_line, problem_in_json
from workbench.traces.importers.row_collector import RowCollector
from workbench.traces.io.import_report import in_field
from workbench.traces.io.source_file import Source
from workbench.traces.trace_limits import MAX_BLOCK_TOKENS


class _StrictRow(TraceRow, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row without unknown fields, so that a misspelt optional field is noticed."""


def matches(head: FileHead) -> bool:
    """Check for the header."""
    return head.has_keys("workbench_trace")


def load(job: ImportJob) -> Draft:
    """Read every row with its exact times. A broken row ends the import: the file is damaged."""
    lines = job.source.open().lines()
    number, first = next(lines)
    collector = RowCollector(job, _header(job.source, number, first), strict=True)
    strict, lenient = msgspec.json.Decoder(_StrictRow), msgspec.json.Decoder(TraceRow)
    for number, line in lines:
        try:
            row: TraceRow = strict.decode(line)
        except UNREADABLE as error:
            row = decode_line(job.source, lenient.decode, number, line)
            job.report.warn(message("traces.not_read", line=number, problem=problem_in_json(error)))
        collector.add(row, line=number)
    return collector.draft(keep_times=True)


def _header(source: Source, number: int, line: bytes) -> TraceHeader:
    header = decode_line(source, msgspec.json.Decoder(TraceHeader).decode, number, line)
    if header.workbench_trace != 1:
        problem = message("traces.format_version", version=header.workbench_trace, known=1)
        source.refuse(in_field("workbench_trace", problem), line=number)
    if not 1 <= header.block_tokens <= MAX_BLOCK_TOKENS:
        problem = message("base.out_of_range", value=header.block_tokens, minimum=1, maximum=MAX_BLOCK_TOKENS)
        source.refuse(in_field("block_tokens", problem), line=number)
    for transform in header.transforms:
        if transform.get("name") in RATE_SCALING and not _is_factor(transform.get("factor")):
            source.refuse(in_field("transforms", message("traces.bad_factor")), line=number)
    return header


def _is_factor(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 1e-9 <= value <= 1e9


IMPORTERS = (Importer(name="canonical", matches=matches, load=load, rank=PARTICULAR),)
