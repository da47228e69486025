"""Mooncake's layout: `timestamp`, `input_length`, `output_length`, `hash_ids`.

Mooncake itself writes ms and 512-token blocks. vLLM's `timed_trace` reads the same layout with seconds and
16-token blocks by default. So the block size is the one by which the rows' ids and lengths agree.
"""

import math
from collections import Counter
from itertools import chain, islice

import msgspec

from workbench.base import message
from workbench.traces.canonical_rows import TraceHeader, TraceRow
from workbench.traces.importers.importer import SHARED_LAYOUT, Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.json_rows import decoded_rows
from workbench.traces.importers.row_collector import RowCollector
from workbench.traces.importers.time_column import TimeColumn

BLOCK_TOKENS = 512
VLLM_BLOCK_TOKENS = 16
_LOOKED_AT = 1000
"""Number of rows that decide on the block size."""

_SIZES = (512, 16, 32, 64, 128, 256, 1024)


class MooncakeRow(msgspec.Struct, frozen=True):
    """One line; other fields are ignored."""

    timestamp: int | float
    input_length: int
    output_length: int
    hash_ids: tuple[int, ...] = ()


def has_layout(head: FileHead) -> bool:
    """Check for two of the three required fields, so that a missing one is named."""
    present = sum(head.has_keys(name) for name in ("timestamp", "input_length", "output_length"))
    return present >= 2 and not head.has_any_key("chat_id", "session_id", "text_input", "messages", "delay")


def is_timed_trace(head: FileHead) -> bool:
    """Check for the layout with blocks of vLLM's default size."""
    if not has_layout(head) or not isinstance(head.first.get("hash_ids"), list):
        return False
    length, ids = head.first.get("input_length"), len(head.first["hash_ids"])
    return isinstance(length, int) and ids > 1 and ids == math.ceil(length / VLLM_BLOCK_TOKENS)


def load(job: ImportJob) -> Draft:
    """Read Mooncake's rows; times are ms."""
    return _load(job, "Mooncake trace", unit="ms", block_tokens=BLOCK_TOKENS)


def load_timed_trace(job: ImportJob) -> Draft:
    """Read rows with times in s, vLLM's default, or in ms: the unit is an argument of vLLM's command."""
    return _load(job, "vLLM timed_trace", unit=None, block_tokens=VLLM_BLOCK_TOKENS)


def _load(job: ImportJob, source_name: str, *, unit: str | None, block_tokens: int) -> Draft:
    rows = decoded_rows(job, MooncakeRow)
    head = list(islice(rows, _LOOKED_AT))
    block = _block_tokens([row for _, row in head], block_tokens)
    if block != block_tokens:
        job.report.note(message("traces.block_size_from_ids", tokens=block))
    collector = RowCollector(job, TraceHeader(block_tokens=block, source=source_name))
    for number, row in chain(head, rows):
        collector.add(
            TraceRow(
                timestamp=0.0,
                input_length=row.input_length,
                output_length=row.output_length,
                hash_ids=row.hash_ids,
            ),
            line=number,
            time=row.timestamp,
        )
    # vLLM's layout leaves the unit to its command line; our own export uses ms.
    clock = TimeColumn(
        source=job.source, report=job.report, field="timestamp", defined=unit, asked=job.time_unit
    )
    return collector.draft(clock=clock)


def _block_tokens(rows: list[MooncakeRow], expected: int) -> int:
    """Return the block size by which most rows have as many ids as blocks; `expected` if none is clear."""
    votes: Counter[int] = Counter()
    for row in rows:
        if len(row.hash_ids) > 1:
            votes.update(size for size in _SIZES if math.ceil(row.input_length / size) == len(row.hash_ids))
    if not votes or votes[expected] == max(votes.values()):
        return expected
    size, count = votes.most_common(1)[0]
    return size if count > sum(len(row.hash_ids) > 1 for row in rows) / 2 else expected


IMPORTERS = (
    Importer(name="mooncake", matches=has_layout, load=load, rank=SHARED_LAYOUT),
    Importer(name="timed_trace", matches=is_timed_trace, load=load_timed_trace),
)
