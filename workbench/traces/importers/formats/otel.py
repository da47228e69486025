"""OpenTelemetry spans of LLM calls: vLLM's own `llm_request`, gen_ai clients, and exgentic's collected JSON.

vLLM's `gen_ai.latency.*` are seconds. vLLM's names have prompt and completion, the conventions' names input
and output; both are read. Spans may be OTLP JSON (one export a line, or a whole document) or a list of spans.
"""

from collections.abc import Iterator
from typing import Any

from workbench.base import message
from workbench.traces.importers.chat_text import message_text
from workbench.traces.importers.importer import Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.json_documents import values
from workbench.traces.importers.log_rows import (
    OTHER_CALL,
    LogRows,
    finite_number,
    first_given,
    is_known,
    ms_between,
    token_count,
    value_at,
)

_INPUT = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens")
_OUTPUT = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.usage.completion_tokens")
_SESSION = ("gen_ai.conversation.id", "exgentic.session.id", "session.id")
_PROMPT = ("gen_ai.input.messages", "gen_ai.prompt")
_ANSWER = ("gen_ai.output.text", "gen_ai.output.messages", "gen_ai.completion")
_START = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")
_END = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime")


def matches(head: FileHead) -> bool:
    """Check for the envelope of an export or a list of spans."""
    if isinstance(head.first, dict) and isinstance(head.first.get("spans"), list):
        return True
    return head.has_any_key("resourceSpans", "resource_spans") or (
        head.has_keys("attributes", "name") and head.has_any_key(*_START)
    )


def load(job: ImportJob) -> Draft:
    """Read every span of a generation."""
    rows = LogRows(job, "OpenTelemetry spans")
    for line, value in values(job.source, broken=rows.broken):
        for span in _spans(value):
            _add(rows, line, span, _attributes(span.get("attributes")))
    if job.texts.estimated:
        job.report.warn(message("traces.estimated_spans"))
    return rows.draft()


def _spans(value: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(value, dict):
        return
    if "attributes" in value and "name" in value:
        yield value
    for key in ("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "spans"):
        inner = value.get(key)
        if isinstance(inner, list):
            for item in inner:
                yield from _spans(item)


def _attributes(given: Any) -> dict[str, Any]:
    """Return attributes as a plain object, also from OTLP's list of keys and typed values."""
    if isinstance(given, dict):
        return given
    if not isinstance(given, list):
        return {}
    typed = [(value_at(item, "key"), value_at(item, "value")) for item in given]
    return {
        key: next(iter(value.values()), None)
        for key, value in typed
        if isinstance(key, str) and isinstance(value, dict)
    }


def _add(rows: LogRows, line: int, span: dict[str, Any], attributes: dict[str, Any]) -> None:
    prompt, answer = (
        message_text(first_given(attributes, *_PROMPT)),
        message_text(first_given(attributes, *_ANSWER)),
    )
    texts = rows.job.texts
    input_tokens, output_tokens = (
        token_count(first_given(attributes, *_INPUT)),
        token_count(first_given(attributes, *_OUTPUT)),
    )
    if input_tokens is None and output_tokens is None and not prompt:
        rows.drop(OTHER_CALL)
        return
    start = first_given(span, *_START)
    whole = finite_number(attributes.get("gen_ai.latency.e2e")) * 1000
    rows.add(
        line=line,
        start=start,
        input_tokens=texts.tokens(prompt) if input_tokens is None and prompt else input_tokens,
        output_tokens=texts.tokens(answer) if output_tokens is None and answer else output_tokens,
        session=first_given(attributes, *_SESSION),
        first_token=finite_number(attributes.get("gen_ai.latency.time_to_first_token")) * 1000,
        end=whole if is_known(whole) else ms_between(start, first_given(span, *_END)),
        prompt=prompt,
    )


IMPORTERS = (Importer(name="otel", matches=matches, load=load, is_log=True),)
