"""Requests of a measured vLLM run (LLMServingSim's bench): lengths, arrival, and the engine's own stamps."""

import msgspec

from workbench.traces.importers.collect import NAN, RowCollector
from workbench.traces.importers.formats import Draft, Importer, Job, Sample
from workbench.traces.importers.jsonlines import decoded_rows
from workbench.traces.rows import TraceHeader, TraceRow


class MeasuredRow(msgspec.Struct, frozen=True):
    """One request; stamps are seconds, `arrival_time` since 1970 and the rest on a monotonic clock."""

    input_toks: int
    output_toks: int
    arrival_time: float
    queued_ts: float | None = None
    first_token_ts: float | None = None
    last_token_ts: float | None = None


def matches(seen: Sample) -> bool:
    """By its own names of lengths."""
    return seen.has_any_key("input_toks", "output_toks") and seen.has_any_key("arrival_time", "queued_ts")


def load(job: Job) -> Draft:
    """Every request; prompts' tokens lie in another file, so they are unique here."""
    rows = RowCollector(job.source, TraceHeader(source="measured vLLM run"))
    job.report.note("arrival_time read as seconds since 1970")
    first: float | None = None
    for line, row in decoded_rows(job.source, MeasuredRow):
        job.report.rows_read += 1
        first = row.arrival_time if first is None else first
        rows.add(
            TraceRow(
                timestamp=(row.arrival_time - first) * 1000,
                input_length=row.input_toks,
                output_length=row.output_toks,
            ),
            line=line,
            ttft_ms=_ms(row.queued_ts, row.first_token_ts),
            e2e_ms=_ms(row.queued_ts, row.last_token_ts),
        )
    return rows.draft()


def _ms(begin: float | None, end: float | None) -> float:
    return NAN if begin is None or end is None else (end - begin) * 1000


IMPORTER = Importer(name="measured", title="requests of a measured vLLM run", matches=matches, load=load)
