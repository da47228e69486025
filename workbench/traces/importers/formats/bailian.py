"""Qwen-Bailian: requests linked by `parent_chat_id` (-1 begins a chat), times in seconds, 16-token blocks.

The source documents two oddities: thinking is stripped before the next turn, so a turn may lack a part of the
previous output; and the last block's id may differ because of padding.
"""

import msgspec

from workbench.traces.canonical_rows import TraceHeader, TraceRow
from workbench.traces.importers.importer import Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.json_rows import decoded_rows
from workbench.traces.importers.row_collector import RowCollector
from workbench.traces.importers.time_column import TimeColumn


class BailianRow(msgspec.Struct, frozen=True):
    """One line; other fields are ignored."""

    chat_id: int
    timestamp: int | float
    input_length: int
    output_length: int
    parent_chat_id: int = -1
    turn: int = 1
    hash_ids: tuple[int, ...] = ()


def matches(head: FileHead) -> bool:
    """Check for the link between chats."""
    return head.has_keys("chat_id") and head.has_any_key("input_length", "parent_chat_id")


def load(job: ImportJob) -> Draft:
    """Read every row; a session is named by its first chat."""
    rows = RowCollector(job, TraceHeader(block_tokens=16, source="Qwen-Bailian trace"))
    root_of: dict[int, int] = {}
    for line, row in decoded_rows(job, BailianRow):
        # A parent outside the file (a cut of the trace) still names the session.
        root = row.chat_id if row.parent_chat_id < 0 else root_of.get(row.parent_chat_id, row.parent_chat_id)
        root_of[row.chat_id] = root
        rows.add(
            TraceRow(
                timestamp=0.0,
                input_length=row.input_length,
                output_length=row.output_length,
                hash_ids=row.hash_ids,
                session_id=str(root),
                turn=max(0, row.turn - 1),
            ),
            line=line,
            time=row.timestamp,
        )
    clock = TimeColumn(
        source=job.source, report=job.report, field="timestamp", defined="s", asked=job.time_unit
    )
    return rows.draft(clock=clock)


IMPORTERS = (Importer(name="bailian", matches=matches, load=load),)
