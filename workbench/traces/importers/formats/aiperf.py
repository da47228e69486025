"""AIPerf's extension of Mooncake's layout: sessions with delays, or a text instead of a length."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from workbench.base import Message, message
from workbench.traces.canonical_rows import TraceHeader, TraceRow
from workbench.traces.importers.chat_text import message_text
from workbench.traces.importers.import_rules import without_times
from workbench.traces.importers.importer import SHARED_LAYOUT, Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.json_rows import decoded_rows
from workbench.traces.importers.row_collector import RowCollector, times_array
from workbench.traces.importers.time_column import MS_PER, TimeColumn
from workbench.traces.io.import_report import ImportReport
from workbench.traces.prompt_texts import BLOCK_TOKENS as TEXT_BLOCK_TOKENS
from workbench.traces.trace_limits import LARGEST_TIME

MOONCAKE_BLOCK_TOKENS = 512


class AIPerfRow(msgspec.Struct, frozen=True):
    """One line with exactly one of the first four fields; times in ms."""

    input_length: int | None = None
    text_input: str | None = None
    messages: Any = None
    payload: Any = None
    output_length: int | None = None
    hash_ids: tuple[int, ...] = ()
    timestamp: int | float | None = None
    delay: float | None = None
    session_id: str | int | None = None
    message_mode: str | None = None


def matches(head: FileHead) -> bool:
    """Check for a length or a text together with a key that Mooncake doesn't have."""
    own = head.has_any_key("text_input", "session_id", "delay", "message_mode", "payload")
    return (
        own
        and head.has_any_key("input_length", "text_input", "messages", "payload")
        and not head.has_keys("chat_id")
    )


def load(job: ImportJob) -> Draft:
    """Read every row with an output length; a turn with a delay waits for the previous one."""
    rows: RowCollector | None = None
    clock = _clock(job)
    sessions: dict[str, _Conversation] = {}
    timed = False
    for line, row in decoded_rows(job, AIPerfRow):
        if row.output_length is None:
            job.report.skip(message("traces.no_output_length"))
            continue
        if rows is None:
            block = MOONCAKE_BLOCK_TOKENS if row.input_length is not None else TEXT_BLOCK_TOKENS
            rows = RowCollector(job, TraceHeader(block_tokens=block, source="AIPerf trace"))
        timed |= row.timestamp is not None
        session = (
            sessions.setdefault(str(row.session_id), _Conversation())
            if row.session_id is not None
            else _Conversation()
        )
        problem = _problem(row)
        if problem:
            job.report.break_row(line, problem)
            continue
        text = _text(row)
        rows.add(_row(job, row, session, text, clock), line=line, text=job.texts.kept(text))
    if rows is None:
        rows = RowCollector(job, TraceHeader(source="AIPerf trace"))
    if job.texts.estimated:
        job.report.warn(message("traces.estimated_rows"))
    draft = rows.draft()
    return draft if timed or not len(rows) else without_times(draft, job.report)


class _Stamp(msgspec.Struct, frozen=True):
    timestamp: int | float | None = None


def _clock(job: ImportJob) -> Callable[[float], float]:
    """Return the conversion of time stamps into ms since the first; AIPerf defines delays as ms."""
    probe = replace(job, report=ImportReport(format=""))
    stamps = (row.timestamp for _, row in decoded_rows(probe, _Stamp) if row.timestamp is not None)
    times = [stamp for stamp in stamps if abs(stamp) < LARGEST_TIME]
    if not times:
        return lambda stamp: stamp
    clock = TimeColumn(
        source=job.source, report=job.report, field="timestamp", defined="ms", asked=job.time_unit
    )
    factor, first = MS_PER[clock.unit(times_array(times))], min(times)
    return lambda stamp: (stamp - first) * factor


class _Conversation:
    """State of a conversation while it is read."""

    def __init__(self) -> None:
        self.turn = 0
        self.tokens = 0
        """Tokens of the conversation so far, for turns that hold only the new part."""
        self.time = 0.0


def _prompts(row: AIPerfRow) -> list[Any]:
    return [given for given in (row.text_input, row.messages, row.payload) if given is not None]


def _problem(row: AIPerfRow) -> Message | None:
    if len(_prompts(row)) + (row.input_length is not None) != 1:
        return message("traces.one_prompt_field")
    return None


def _text(row: AIPerfRow) -> str:
    """Return the prompt's text, "" if it has a length."""
    texts = _prompts(row)
    return message_text(texts[0]) if texts else ""


def _row(
    job: ImportJob, row: AIPerfRow, session: _Conversation, text: str, clock: Callable[[float], float]
) -> TraceRow:
    own = row.input_length if row.input_length is not None else job.texts.tokens(text)
    prompt = own + (session.tokens if row.message_mode == "delta" else 0)
    session.time = session.time + (row.delay or 0.0) if row.timestamp is None else clock(row.timestamp)
    made = TraceRow(
        timestamp=session.time,
        input_length=prompt,
        output_length=row.output_length or 0,
        hash_ids=row.hash_ids or (job.texts.blocks(text) if text else ()),
        session_id=None if row.session_id is None else str(row.session_id),
        turn=None if row.session_id is None else session.turn,
        delay=row.delay if session.turn else None,
    )
    session.turn += 1
    session.tokens = prompt + (row.output_length or 0)
    return made


IMPORTERS = (Importer(name="aiperf", matches=matches, load=load, is_log=True, rank=SHARED_LAYOUT + 1),)
