"""Requests of a measured vLLM run (LLMServingSim's bench): lengths, arrival, and the engine's own stamps."""

import msgspec

from workbench.traces.canonical_rows import TraceHeader, TraceRow
from workbench.traces.importers.importer import Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.json_rows import decoded_rows
from workbench.traces.importers.row_collector import NAN, RowCollector
from workbench.traces.importers.timestamps import TimeColumn


class MeasuredRow(msgspec.Struct, frozen=True):
    """One request; stamps are seconds, `arrival_time` since 1970 and the rest on a monotonic clock."""

    input_toks: int
    output_toks: int
    arrival_time: int | float
    queued_ts: float | None = None
    first_token_ts: float | None = None
    last_token_ts: float | None = None


def matches(head: FileHead) -> bool:
    """By its own names of lengths."""
    return head.has_any_key("input_toks", "output_toks") and head.has_any_key("arrival_time", "queued_ts")


def load(job: ImportJob) -> Draft:
    """Every request; prompts' tokens lie in another file, so they are unique here."""
    rows = RowCollector(job, TraceHeader(source="measured vLLM run"))
    for line, row in decoded_rows(job, MeasuredRow):
        rows.add(
            TraceRow(
                timestamp=0.0,
                input_length=row.input_toks,
                output_length=row.output_toks,
            ),
            line=line,
            time=row.arrival_time,
            ttft_ms=_ms(row.queued_ts, row.first_token_ts),
            e2e_ms=_ms(row.queued_ts, row.last_token_ts),
        )
    clock = TimeColumn(
        source=job.source, report=job.report, field="arrival_time", defined="s", asked=job.time_unit
    )
    return rows.draft(clock=clock)


def _ms(begin: float | None, end: float | None) -> float:
    return NAN if begin is None or end is None else (end - begin) * 1000


IMPORTER = Importer(name="measured", title="requests of a measured vLLM run", matches=matches, load=load)
