"""TraceLab: coding-agent rounds (JSON lines), and the replay CSV made from them.

The provider reported the length of each round's cached prefix. Blocks inside that prefix keep their ids
within a session; the others get new ids.
"""

import msgspec

from workbench.base import message
from workbench.traces.canonical_rows import TraceHeader, TraceRow
from workbench.traces.importers.importer import Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.instants import to_ns
from workbench.traces.importers.json_rows import decoded_rows
from workbench.traces.importers.row_collector import RowCollector
from workbench.traces.importers.table_columns import Table, read_tables

BLOCK_TOKENS = 256
"""Coarse enough that the whole data set (357,161 rounds of some 100,000 tokens) fits into memory."""


_INPUTS = ("user_message", "tool_result")


class GrowingPrefixes:
    """Block ids of sessions whose prompts grow: blocks of a known prefix keep their ids."""

    def __init__(self) -> None:
        self._blocks: dict[str, list[int]] = {}
        self._next = 0

    def ids(self, session: str, prefix_tokens: int, prompt_tokens: int) -> tuple[int, ...]:
        """Return the ids of a round whose first `prefix_tokens` the session had before."""
        known = self._blocks.get(session, [])[: prefix_tokens // BLOCK_TOKENS]
        fresh = -(-prompt_tokens // BLOCK_TOKENS) - len(known)
        ids = [*known, *range(self._next, self._next + max(0, fresh))]
        self._next += max(0, fresh)
        self._blocks[session] = ids
        return tuple(ids)


class TimingEvent(msgspec.Struct, frozen=True):
    """A stamp within a round."""

    event_type: str = ""
    timestamp: str | None = None


class Round(msgspec.Struct, frozen=True):
    """One call of the model; other fields are ignored."""

    session_id: str
    round_index: int
    input_tokens_total: int | None
    output_tokens: int | None
    prefix_tokens: int | None = None
    timing_events: tuple[TimingEvent, ...] = ()


def matches_rounds(head: FileHead) -> bool:
    """Check for TraceLab's names of rounds and prompts."""
    return head.has_keys("session_id", "round_index") and head.has_any_key(
        "input_tokens_total", "newly_append_tokens"
    )


def load_rounds(job: ImportJob) -> Draft:
    """Read every round with counts and stamps."""
    rows = RowCollector(job, TraceHeader(block_tokens=BLOCK_TOKENS, source="TraceLab rounds"))
    prefixes = GrowingPrefixes()
    first_ns: int | None = None
    ended_ns: dict[str, int] = {}
    for line, turn in decoded_rows(job, Round):
        due, end = _due_and_end(turn)
        if due is None or end is None:
            job.report.skip(message("traces.no_timing_events"))
        elif turn.input_tokens_total is None or turn.output_tokens is None:
            job.report.skip(message("traces.no_token_counts"))
        else:
            first_ns = due if first_ns is None else first_ns
            previous = ended_ns.get(turn.session_id)
            row = TraceRow(
                timestamp=(due - first_ns) / 1e6,
                input_length=turn.input_tokens_total,
                output_length=turn.output_tokens,
                hash_ids=prefixes.ids(turn.session_id, turn.prefix_tokens or 0, turn.input_tokens_total),
                session_id=turn.session_id,
                turn=turn.round_index,
                delay=None if previous is None else max(0, due - previous) / 1e6,
            )
            rows.add(row, line=line, e2e_ms=(end - due) / 1e6)
            ended_ns[turn.session_id] = end
    job.report.note(message("traces.tracelab_rounds"))
    job.report.note(message("traces.provider_prefixes", tokens=BLOCK_TOKENS))
    return rows.draft()


def _due_and_end(turn: Round) -> tuple[int | None, int | None]:
    """Return the time of a round's last input (message or tool result) and its last stamp; ns since 1970."""
    stamps = [(event.event_type, to_ns(event.timestamp)) for event in turn.timing_events]
    known = [(kind, ns) for kind, ns in stamps if ns is not None]
    if not known:
        return None, None
    inputs = [ns for kind, ns in known if kind in _INPUTS]
    end = max(ns for _, ns in known)
    return min(end, max(inputs, default=known[0][1])), end


CSV_COLUMNS = ("input_len", "output_len", "arrival_time", "round_idx", "tool_wait_after_ms", "prefix_len")


def matches_csv(head: FileHead) -> bool:
    """Check for the columns of the replay form."""
    return head.has_columns("round_idx", "prefix_len") and head.has_columns("input_len")


def load_csv(job: ImportJob) -> Draft:
    """Read every round; `input_len` is the part after `prefix_len`."""
    name = next((column for column in ("session_id", "id") if column in job.head.columns), None)
    if name is None:
        job.source.refuse(message("traces.no_session_column"), line=1)
    rows = RowCollector(job, TraceHeader(block_tokens=BLOCK_TOKENS, source="TraceLab replay CSV"))
    sessions = _ReplaySessions()
    for table in read_tables(job, (name, *CSV_COLUMNS)):
        _add_table(rows, table, name, sessions)
    job.report.note(message("traces.tracelab_replay"))
    return rows.draft()


class _ReplaySessions:
    """State of the sessions of a replay CSV while it is read."""

    def __init__(self) -> None:
        self.prefixes = GrowingPrefixes()
        self.last_tool_ms: dict[str, float] = {}
        """Tool time after a session's last round, ms."""
        self.total_tool_ms: dict[str, float] = {}
        """Total tool time of a session so far, ms: its next round can't be due earlier."""

    def end_round(self, session: str, wait: float) -> None:
        """Store the end of a round."""
        self.last_tool_ms[session] = wait
        self.total_tool_ms[session] = self.total_tool_ms.get(session, 0.0) + wait


def _add_table(rows: RowCollector, table: Table, name: str, replay: _ReplaySessions) -> None:
    appended, output, prefix = (
        table.tokens("input_len"),
        table.tokens("output_len"),
        table.tokens("prefix_len"),
    )
    turns, times, waits = (
        table.tokens("round_idx"),
        table.numbers("arrival_time"),
        table.numbers("tool_wait_after_ms"),
    )
    table.require(~(waits < 0), "tool_wait_after_ms", message("traces.negative_time"))
    good = table.good.tolist()
    for index, session in enumerate(table.texts(name)):
        if not good[index]:
            continue
        prompt = int(appended[index] + prefix[index])
        row = TraceRow(
            timestamp=float(times[index]) + replay.total_tool_ms.get(session, 0.0),
            input_length=prompt,
            output_length=int(output[index]),
            hash_ids=replay.prefixes.ids(session, int(prefix[index]), prompt),
            session_id=session,
            turn=int(turns[index]),
            delay=replay.last_tool_ms.get(session),
        )
        rows.add(row, line=table.line(index))
        replay.end_round(session, float(waits[index]))


IMPORTERS = (
    Importer(name="tracelab", matches=matches_rounds, load=load_rounds),
    Importer(name="tracelab-csv", matches=matches_csv, load=load_csv),
)
