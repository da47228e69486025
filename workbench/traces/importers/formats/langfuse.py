"""Langfuse observations: the observations API, a trace with its observations, the blob export.

Times to first token are seconds. Only observations of type GENERATION are requests.
"""

import math
from collections.abc import Iterator
from typing import Any

from workbench.traces.importers.chat_text import message_text
from workbench.traces.importers.importer import Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.json_records import records
from workbench.traces.importers.log_rows import (
    OTHER_CALL,
    LogRows,
    finite_number,
    first_given,
    ms_between,
    token_count,
    value_at,
)
from workbench.traces.importers.row_collector import NAN

_USAGE = ("usageDetails", "usage_details", "usage")
_WRAPPERS = ("data",)


def matches(head: FileHead) -> bool:
    """Check for type and usage of an observation, alone or within a trace or a page."""
    record = value_at(head.first, "data")
    record = record[0] if isinstance(record, list) and record else head.first
    inner = value_at(record, "observations")
    if isinstance(inner, list):
        return all(isinstance(observation, dict) and "type" in observation for observation in inner)
    if not isinstance(record, dict):
        return False
    has_usage = any(name in record for name in (*_USAGE, "promptTokens", "inputUsage"))
    return has_usage and any(name in record for name in ("traceId", "trace_id")) and "type" in record


def load(job: ImportJob) -> Draft:
    """Read every generation."""
    rows = LogRows(job, "Langfuse observations")
    for line, record in records(rows, _WRAPPERS):
        for observation, session in _observations(record):
            if not isinstance(observation, dict) or observation.get("type") != "GENERATION":
                rows.drop(OTHER_CALL)
            else:
                _add(rows, line, observation, session)
    return rows.draft()


def _observations(record: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield a trace's observations with the trace's session, or the record itself."""
    session = first_given(record, "sessionId", "session_id")
    inner = record.get("observations")
    if isinstance(inner, list):
        yield from ((observation, session) for observation in inner)
    else:
        yield record, session


def _add(rows: LogRows, line: int, observation: dict[str, Any], session: Any) -> None:
    start = first_given(observation, "startTime", "start_time")
    text = message_text(observation.get("input"))
    prompt, output = _tokens(observation)
    rows.add(
        line=line,
        start=start,
        input_tokens=prompt,
        output_tokens=output,
        session=session,
        first_token=_first_token(observation, start),
        end=ms_between(start, first_given(observation, "endTime", "end_time")),
        prompt=text,
    )


def _tokens(observation: dict[str, Any]) -> tuple[int | None, int | None]:
    """Return the totals if given, else the sums of the usage details (cached input, reasoning output)."""
    usage = first_given(observation, *_USAGE)
    prompt = token_count(first_given(observation, "inputUsage", "promptTokens", "prompt_tokens"))
    output = token_count(first_given(observation, "outputUsage", "completionTokens", "completion_tokens"))
    if not isinstance(usage, dict):
        return prompt, output
    prompt = _sum(usage, "input", "promptTokens") if prompt is None else prompt
    output = _sum(usage, "output", "completionTokens") if output is None else output
    return prompt, output


def _sum(usage: dict[str, Any], kind: str, legacy: str) -> int | None:
    parts = [
        token_count(value) for name, value in usage.items() if name == kind or name.startswith(f"{kind}_")
    ]
    counted = [part for part in parts if part is not None]
    return sum(counted) if counted else token_count(usage.get(legacy))


def _first_token(observation: dict[str, Any], start: Any) -> float:
    seconds = finite_number(first_given(observation, "timeToFirstToken", "time_to_first_token"))
    if not math.isnan(seconds):
        return seconds * 1000
    stamp = first_given(observation, "completionStartTime", "completion_start_time")
    return ms_between(start, stamp) if stamp is not None else NAN


IMPORTERS = (Importer(name="langfuse", matches=matches, load=load, is_log=True),)
