"""Hold the stored requests of a run against the step record of its server's scheduler."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from workbench.base import UNREADABLE, Message, message
from workbench.experiments.packs.check_rows import RunRows
from workbench.experiments.run.step_records import sent_request_id

STEPS_FOLDER = "steps/"


class _Added(msgspec.Struct):
    """The start of a line of the record."""

    ev: str
    id: str = ""


def step_findings(rows: RunRows, contents: Mapping[str, bytes]) -> list[Message]:
    """Return that the scheduler saw other requests than the rows show; empty without a record."""
    facts = rows.entry.facts
    content = contents.get(f"{STEPS_FOLDER}{Path(str(facts.get('steps_file') or '')).name}")
    span = facts.get("steps_bytes")
    if content is None or not isinstance(span, list) or len(span) != 2:
        return []
    begin, end = (int(place) for place in span)
    try:
        seen = list(_seen(content[begin:end]))
    except UNREADABLE:
        return [message("packs.steps_unreadable", run=rows.entry.name)]
    sent = {record.request_id for record in rows.records if record.sent is not None}
    answered = {record.request_id for record in rows.records if record.first_token is not None}
    known = [sent_request_id(name, sent) for name in seen]
    found = []
    if extra := known.count(None):
        found.append(message("packs.steps_more", run=rows.entry.name, count=extra))
    if lacking := len(answered - set(known)):
        found.append(message("packs.steps_fewer", run=rows.entry.name, count=lacking))
    return found


def _seen(content: bytes) -> Iterator[str]:
    """Yield the engine's names of the requests that the scheduler was given."""
    decode = msgspec.json.Decoder(_Added).decode
    return (line.id for line in map(decode, content.splitlines()) if line.ev == "add")
