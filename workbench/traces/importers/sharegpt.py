"""ShareGPT conversations.

Text without times or counts. Prompt N is the whole conversation before answer N.
"""

from typing import Any

from workbench.traces.importers.collect import RowCollector
from workbench.traces.importers.documents import values
from workbench.traces.importers.formats import Draft, Importer, Job, Sample
from workbench.traces.importers.logrows import member
from workbench.traces.importers.untimed import without_times
from workbench.traces.rows import TraceHeader, TraceRow
from workbench.traces.texts import BLOCK_TOKENS

_ANSWERS = ("gpt", "chatgpt", "bing", "bard", "assistant", "model")


def matches(seen: Sample) -> bool:
    """Conversations under their usual key."""
    return isinstance(member(seen.first, "conversations"), list)


def load(job: Job) -> Draft:
    """Every answer of every conversation; rows read are conversations' answers."""
    rows = RowCollector(job, TraceHeader(block_tokens=BLOCK_TOKENS, source="ShareGPT conversations"))
    for number, conversation in values(job.source):
        turns = member(conversation, "conversations")
        if not isinstance(turns, list):
            job.report.skip("not a conversation")
            continue
        _add(job, rows, number, turns)
    how = (
        "counted with the tokenizer given"
        if job.texts.count
        else "estimated from their text (characters / 4)"
    )
    job.report.warn(f"ShareGPT has no token counts: lengths were {how}")
    return without_times(rows.draft(), job.report)


def _add(job: Job, rows: RowCollector, number: int, turns: list[Any]) -> None:
    before, turn = "", 0
    for message in turns:
        role, text = member(message, "from"), member(message, "value")
        if not isinstance(text, str):
            continue
        if role in _ANSWERS:
            if before:
                _add_answer(job, rows, number, turn, before, text)
                turn += 1
            else:
                job.report.skip("an answer to nothing")
        before += f"{role}\n{text}\n"


def _add_answer(job: Job, rows: RowCollector, number: int, turn: int, prompt: str, answer: str) -> None:
    row = TraceRow(
        timestamp=0.0,
        input_length=job.texts.tokens(prompt),
        output_length=job.texts.tokens(answer),
        hash_ids=job.texts.blocks(prompt),
        session_id=f"c{number}",
        turn=turn,
    )
    rows.add(row, line=number, text=job.texts.held(prompt))


IMPORTER = Importer(
    name="sharegpt", title="ShareGPT conversations (JSON)", matches=matches, load=load, is_log=True
)
