"""Mooncake's traces: `timestamp` (ms), `input_length`, `output_length`, `hash_ids` of 512-token blocks."""

import msgspec

from workbench.traces.importers.collect import RowCollector
from workbench.traces.importers.formats import Draft, Importer, Sample
from workbench.traces.importers.jsonlines import decoded_lines
from workbench.traces.report import ImportReport
from workbench.traces.rows import TraceHeader, TraceRow
from workbench.traces.source import Source

BLOCK_TOKENS = 512


class MooncakeRow(msgspec.Struct, frozen=True):
    """One line; other fields are ignored."""

    timestamp: float
    input_length: int
    output_length: int
    hash_ids: tuple[int, ...] = ()


def matches(seen: Sample) -> bool:
    """Known by two of its three obligatory fields, so that a missing one is named."""
    present = sum(seen.has_keys(name) for name in ("timestamp", "input_length", "output_length"))
    return present >= 2 and not seen.has_keys("chat_id")


def load(source: Source, report: ImportReport) -> Draft:
    """Every row."""
    collector = RowCollector(source, TraceHeader(block_tokens=BLOCK_TOKENS, source="Mooncake trace"))
    report.note("timestamp read as ms, as Mooncake defines it")
    for number, row in decoded_lines(source, MooncakeRow):
        report.rows_read += 1
        collector.add(
            TraceRow(
                timestamp=row.timestamp,
                input_length=row.input_length,
                output_length=row.output_length,
                hash_ids=row.hash_ids,
            ),
            line=number,
        )
    return Draft(trace=collector.trace())


IMPORTER = Importer(name="mooncake", title="Mooncake trace (JSON lines)", matches=matches, load=load)
