"""LiteLLM spend logs: database rows, /spend/logs, or the GCS and S3 loggers.

`completionStartTime` equals `endTime` if the answer wasn't streamed: then there is no time to first token.
"""

import json
from typing import Any

from workbench.base import message
from workbench.traces.importers.chat_text import message_text
from workbench.traces.importers.importer import Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.json_records import records
from workbench.traces.importers.log_rows import (
    FAILED,
    OTHER_CALL,
    LogRows,
    first_given,
    is_known,
    ms_between,
    token_count,
    value_at,
)
from workbench.traces.importers.row_collector import NAN

GENERATIONS = (
    None,
    "",
    "completion",
    "acompletion",
    "text_completion",
    "atext_completion",
    "responses",
    "aresponses",
    "anthropic_messages",
    "aanthropic_messages",
)
"""Types of calls that generate; older rows have none."""


def matches(head: FileHead) -> bool:
    """Check for field names that only LiteLLM writes together."""
    first = value_at(head.first, "data")
    first = first[0] if isinstance(first, list) and first else head.first
    names = {"startTime", "call_type", "spend"}
    return isinstance(first, dict) and len(names & first.keys()) >= 2 and "prompt_tokens" in first


def load(job: ImportJob) -> Draft:
    """Read every generation that reached a server."""
    rows = LogRows(job, "LiteLLM spend logs")
    for line, record in records(rows):
        if record.get("call_type") not in GENERATIONS:
            rows.drop(OTHER_CALL)
        elif _failed(record):
            rows.drop(FAILED)
        elif str(record.get("cache_hit")).lower() == "true":
            rows.drop(message("traces.proxy_cache"))
        else:
            _add(rows, line, record)
    return rows.draft()


def _add(rows: LogRows, line: int, record: dict[str, Any]) -> None:
    start, end = first_given(record, "startTime", "start_time"), first_given(record, "endTime", "end_time")
    whole = ms_between(start, end)
    first = ms_between(start, first_given(record, "completionStartTime", "completion_start_time"))
    streamed = is_known(first) and first != whole
    text = message_text(first_given(record, "messages", "prompt"))
    rows.add(
        line=line,
        start=start,
        input_tokens=token_count(record.get("prompt_tokens")),
        output_tokens=token_count(record.get("completion_tokens")),
        session=record.get("session_id"),
        first_token=first if streamed else NAN,
        end=whole,
        prompt=text,
    )


def _failed(record: dict[str, Any]) -> bool:
    metadata = record.get("metadata")
    if isinstance(metadata, str):
        try:
            metadata = json.loads(metadata)
        except (ValueError, RecursionError):
            metadata = None
    return "failure" in (record.get("status"), value_at(metadata, "status"))


IMPORTERS = (Importer(name="litellm", matches=matches, load=load, is_log=True),)
