"""vllm-vcr tap.

One line a finished request, with lengths and latencies of the engine; `arrival_ms` may be absent.
"""

import msgspec

from workbench.base import message
from workbench.traces.canonical_rows import TraceHeader, TraceRow
from workbench.traces.importers.import_rules import without_times
from workbench.traces.importers.importer import Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.json_rows import decoded_rows
from workbench.traces.importers.row_collector import NAN, RowCollector
from workbench.traces.io.import_report import in_field


class Meta(msgspec.Struct, frozen=True):
    """Content of the optional first line."""

    block_size: int = 16


class TapRow(msgspec.Struct, frozen=True):
    """One line: either `meta` or a request."""

    meta: Meta | None = None
    prompt_tokens: int = 0
    output_tokens: int = 0
    arrival_ms: float | None = None
    ttft_ms: float | None = None
    itl_ms: tuple[float, ...] | None = None
    block_hashes: tuple[int, ...] | None = None
    cached_tokens: int = 0


def matches(head: FileHead) -> bool:
    """Check for the meta line, or for a request with this format's name of the time to first token."""
    return (head.has_keys("meta") and len(head.first) == 1) or head.has_keys(
        "prompt_tokens", "output_tokens", "ttft_ms"
    )


def load(job: ImportJob) -> Draft:
    """Read every request."""
    rows = RowCollector(job, TraceHeader(block_tokens=16, source="vllm-vcr tap"))
    timed = untimed = 0
    for line, tap in decoded_rows(job, TapRow):
        if tap.meta is not None:
            rows.set_block_tokens(tap.meta.block_size, line=line)
            continue
        timed, untimed = timed + (tap.arrival_ms is not None), untimed + (tap.arrival_ms is None)
        if timed and untimed:
            job.source.refuse(in_field("arrival_ms", message("traces.in_some_rows")), line=line)
        row = TraceRow(
            timestamp=tap.arrival_ms or 0.0,
            input_length=tap.prompt_tokens,
            output_length=tap.output_tokens,
            hash_ids=tap.block_hashes,
        )
        ttft = NAN if tap.ttft_ms is None else tap.ttft_ms
        rows.add(row, line=line, ttft_ms=ttft, e2e_ms=ttft + sum(tap.itl_ms or ()))
    draft = rows.draft()
    return without_times(draft, job.report) if untimed else draft


IMPORTERS = (Importer(name="vcr", matches=matches, load=load),)
