"""Weka / kv-cache-tester: one JSON object a session, its requests with local 64-token block ids.

Sub-agents nest their requests; each becomes a session. Local ids of different sessions are kept apart; with
`hash_id_scope` "global" they are shared.
"""

from collections.abc import Iterator

import msgspec

from workbench.base import message
from workbench.traces.canonical_rows import TraceHeader, TraceRow
from workbench.traces.importers.importer import Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.json_rows import decoded_rows
from workbench.traces.importers.row_collector import NAN, RowCollector


class WekaRequest(msgspec.Struct, frozen=True, rename={"input_tokens": "in", "output_tokens": "out"}):
    """A request, or a sub-agent with requests of its own."""

    t: float = 0.0
    type: str = "n"
    input_tokens: int = 0
    output_tokens: int = 0
    hash_ids: tuple[int, ...] = ()
    think_time: float | None = None
    api_time: float | None = None
    requests: "tuple[WekaRequest, ...] | None" = None


class WekaSession(msgspec.Struct, frozen=True):
    """One session; other fields are ignored."""

    id: str
    requests: tuple[WekaRequest, ...]
    block_size: int = 64
    hash_id_scope: str = "local"


def matches(head: FileHead) -> bool:
    """Check for a session with requests, its id and blocks."""
    return head.has_keys("requests", "id") and head.has_any_key("block_size", "hash_id_scope", "models")


def load(job: ImportJob) -> Draft:
    """Read every request of every session."""
    rows = RowCollector(job, TraceHeader(block_tokens=64, source="kv-cache-tester sessions"))
    spaces = _BlockIdRanges()
    for sessions, (line, session) in enumerate(decoded_rows(job, WekaSession), 1):
        rows.set_block_tokens(session.block_size, line=line)
        base = spaces.base(session)
        for name, turn, request, delay in _turns(session.id, session.requests):
            row = TraceRow(
                timestamp=request.t * 1000,
                input_length=request.input_tokens,
                output_length=request.output_tokens,
                hash_ids=tuple(block + base for block in request.hash_ids),
                session_id=f"{sessions}/{name}",
                turn=turn,
                delay=delay,
            )
            rows.add(row, line=line, e2e_ms=NAN if request.api_time is None else request.api_time * 1000)
    job.report.note(message("traces.weka_times"))
    if rows and sessions > 1:
        job.report.warn(message("traces.no_common_clock"))
    return rows.draft()


class _BlockIdRanges:
    """First global id of each session's local ids."""

    def __init__(self) -> None:
        self._next = 0

    def base(self, session: WekaSession) -> int:
        if session.hash_id_scope != "local":
            return 0
        base = self._next
        self._next += 1 + max((max(ids, default=0) for ids in _all_ids(session.requests)), default=0)
        return base


def _all_ids(requests: tuple[WekaRequest, ...]) -> Iterator[tuple[int, ...]]:
    for request in requests:
        yield request.hash_ids
        yield from _all_ids(request.requests or ())


def _turns(
    name: str, requests: tuple[WekaRequest, ...]
) -> Iterator[tuple[str, int, WekaRequest, float | None]]:
    """Yield (session, turn, request, think time in ms) of a session, then of its sub-agents."""
    turn, agents = 0, []
    for request in requests:
        if request.requests is not None:
            agents.append(request)
            continue
        think = None if request.think_time is None or turn == 0 else request.think_time * 1000
        yield name, turn, request, think
        turn += 1
    for number, agent in enumerate(agents, 1):
        yield from _turns(f"{name}-agent{number}", agent.requests or ())


IMPORTERS = (Importer(name="weka", matches=matches, load=load),)
