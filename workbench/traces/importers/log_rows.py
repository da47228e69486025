"""Rows of logs: incomplete rows are dropped and counted, and only numbers are kept."""

import math
from collections.abc import Iterator
from typing import Any

from workbench.base import Message, message
from workbench.traces.canonical_rows import TraceHeader, TraceRow
from workbench.traces.importers.importer import Draft, ImportJob
from workbench.traces.importers.instants import has_zone, to_ns
from workbench.traces.importers.row_collector import NAN, RowCollector
from workbench.traces.io.import_report import NOT_JSON
from workbench.traces.prompt_texts import BLOCK_TOKENS, PromptBlocks
from workbench.traces.trace_limits import MAX_TOKENS
from workbench.vllm_dialect.log_prefix import StrippedLine, join_lines

NO_START = message("traces.no_start_time")
NO_TOKENS = message("traces.no_token_counts")
FAILED = message("traces.failed_request")
OTHER_CALL = message("traces.not_a_generation")


class SessionNames:
    """Renames sessions s1, s2, ... in order of appearance: a log's names may be people's."""

    def __init__(self) -> None:
        self._names: dict[str | int, str] = {}

    def of(self, session: Any) -> str | None:
        """Return the new name; None for a row without a session."""
        if session is None or session == "" or not isinstance(session, str | int):
            return None
        return self._names.setdefault(session, f"s{len(self._names) + 1}")


class LogRows:
    """Collects requests whose times are instants."""

    def __init__(self, job: ImportJob, source_name: str, *, block_tokens: int = BLOCK_TOKENS) -> None:
        self.job = job
        self._rows = RowCollector(job, TraceHeader(block_tokens=block_tokens, source=source_name))
        self._first_ns: int | None = None
        self._sessions = SessionNames()
        self._zoned = self._unzoned = False

    def drop(self, reason: Message, count: int = 1) -> None:
        """Count rows that aren't requests that can be replayed."""
        self.job.report.skip(reason, count)

    def broken(self, line: int, problem: Message) -> None:
        """Count a line that can't be read."""
        self.job.report.break_row(line, problem, reason=NOT_JSON)

    def add(
        self,
        *,
        line: int,
        start: Any,
        input_tokens: int | None,
        output_tokens: int | None,
        session: Any = None,
        first_token: float = NAN,
        end: float = NAN,
        prompt: str | PromptBlocks = "",
    ) -> None:
        """Add one request, or count it as dropped if its start or a token count is missing.

        `start` is an instant in any form; `first_token` and `end` are ms after it, NaN if unknown. Prefixes
        follow from the prompt's text, or from the blocks of a prompt that was read before.
        """
        start_ns = to_ns(start)
        if start_ns is None:
            self.drop(NO_START)
        elif input_tokens is None or output_tokens is None:
            self.drop(NO_TOKENS)
        else:
            self._zoned |= has_zone(start)
            self._unzoned |= not has_zone(start)
            self._first_ns = start_ns if self._first_ns is None else self._first_ns
            texts = self.job.texts
            if isinstance(prompt, str):
                prompt = PromptBlocks(texts.blocks(prompt), texts.kept(prompt))
            row = TraceRow(
                timestamp=(start_ns - self._first_ns) / 1e6,
                input_length=input_tokens,
                output_length=output_tokens,
                hash_ids=prompt.blocks,
                session_id=self._sessions.of(session),
            )
            self._rows.add(row, line=line, ttft_ms=first_token, e2e_ms=end, text=prompt.text)

    def draft(self) -> Draft:
        """Return all rows; the report notes the assumed time zones."""
        if self._unzoned:
            self.job.report.note(message("traces.utc_assumed"))
        if self._unzoned and self._zoned:
            self.job.report.warn(message("traces.mixed_zones"))
        return self._rows.draft()


def token_count(value: Any) -> int | None:
    """Return a number of tokens from a log's field, None if it isn't one."""
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_TOKENS:
        return None
    return int(value) if value == int(value) else None


def finite_number(value: Any) -> float:
    """Return a finite number from 0, NaN if it isn't one."""
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NAN
    return float(value) if 0 <= value < 1e15 else NAN


def _parsed(text: str) -> float | int | None:
    try:
        return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else float(text)
    except ValueError:
        return None


def ms_between(begin: Any, end: Any) -> float:
    """Return the milliseconds from one instant to a later one, NaN if either is unknown."""
    begin_ns, end_ns = to_ns(begin), to_ns(end)
    if begin_ns is None or end_ns is None or end_ns < begin_ns:
        return NAN
    return (end_ns - begin_ns) / 1e6


def is_known(milliseconds: float) -> bool:
    """Check whether a latency is known."""
    return not math.isnan(milliseconds)


def value_at(record: Any, *path: str) -> Any:
    """Return the value at a path of keys, None if a key is missing."""
    for key in path:
        record = record.get(key) if isinstance(record, dict) else None
    return record


def first_given(record: Any, *names: str) -> Any:
    """Return the first of these members that isn't null."""
    return next(
        (record[name] for name in names if isinstance(record, dict) and record.get(name) is not None), None
    )


def log_lines(job: ImportJob) -> Iterator[tuple[int, StrippedLine]]:
    """Yield the numbered lines of a text log that aren't blank, each with its collector's time."""
    lines = ((number, line.decode()) for number, line in job.source.open().raw_lines() if line.strip())
    return join_lines(lines)
