"""ShareGPT conversations, also as LMSYS-Chat and fine-tuning sets name their keys.

The source has text without times or counts. Prompt N is the whole conversation before answer N.
"""

from typing import Any

from workbench.base import Message, message
from workbench.traces.canonical_rows import TraceHeader, TraceRow
from workbench.traces.importers.import_rules import without_times
from workbench.traces.importers.importer import SHARED_LAYOUT, Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.json_documents import values
from workbench.traces.importers.log_rows import first_given, value_at
from workbench.traces.importers.row_collector import RowCollector
from workbench.traces.io.import_report import NOT_JSON
from workbench.traces.prompt_texts import BLOCK_TOKENS

_ANSWERS = ("gpt", "chatgpt", "bing", "bard", "assistant", "model")


_CONVERSATIONS = ("conversations", "conversation", "messages")
_ROLES, _TEXTS = ("from", "role"), ("value", "content")


def matches(head: FileHead) -> bool:
    """Check for conversations under their usual keys, and no token counts, which other formats have."""
    if isinstance(head.first, dict) and any("token" in key or key == "usage" for key in head.first):
        return False
    turns = _turns(head.first)
    first = turns[0] if turns else None
    return _text_of(first, _TEXTS) is not None and _text_of(first, _ROLES) is not None


def _turns(conversation: Any) -> list[Any] | None:
    """Return the messages of one conversation; None if it isn't one."""
    for name in _CONVERSATIONS:
        turns = value_at(conversation, name)
        if isinstance(turns, list):
            return turns
    return None


def _text_of(turn: Any, names: tuple[str, ...]) -> str | None:
    found = first_given(turn, *names)
    return found if isinstance(found, str) else None


def load(job: ImportJob) -> Draft:
    """Read every answer of every conversation as a row."""
    rows = RowCollector(job, TraceHeader(block_tokens=BLOCK_TOKENS, source="ShareGPT conversations"))

    def broken(number: int, problem: Message) -> None:
        job.report.break_row(number, problem, reason=NOT_JSON)

    for number, conversation in values(job.source, broken=broken):
        turns = _turns(conversation)
        if turns is None:
            job.report.skip(message("traces.not_a_conversation"))
            continue
        _add(job, rows, number, turns)
    counted = message("traces.sharegpt_counted")
    job.report.warn(counted if job.texts.count else message("traces.sharegpt_estimated"))
    return without_times(rows.draft(), job.report)


def _add(job: ImportJob, rows: RowCollector, number: int, turns: list[Any]) -> None:
    before, turn = "", 0
    for each in turns:
        role, text = _text_of(each, _ROLES), _text_of(each, _TEXTS)
        if text is None:
            continue
        if role in _ANSWERS:
            if before:
                _add_answer(job, rows, number, turn, before, text)
                turn += 1
            else:
                job.report.skip(message("traces.answer_to_nothing"))
        before += f"{role}\n{text}\n"


def _add_answer(job: ImportJob, rows: RowCollector, number: int, turn: int, prompt: str, answer: str) -> None:
    row = TraceRow(
        timestamp=0.0,
        input_length=job.texts.tokens(prompt),
        output_length=job.texts.tokens(answer),
        hash_ids=job.texts.blocks(prompt),
        session_id=f"c{number}",
        turn=turn,
    )
    rows.add(row, line=number, text=job.texts.kept(prompt))


IMPORTERS = (Importer(name="sharegpt", matches=matches, load=load, is_log=True, rank=SHARED_LAYOUT + 2),)
