"""The columns of the requests table."""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication


def _n(text: str) -> str:
    """Mark `text` for translation in the context requests."""
    return str(QT_TRANSLATE_NOOP("requests", text))


@dataclass(frozen=True)
class Column:
    """One column; `key` is its name in `RequestTable.numbers` or `.texts`."""

    key: str
    title: str
    unit: str = ""
    kind: Literal["figure", "count", "text"] = "figure"
    tip: str = ""
    shown: bool = True
    server: bool = False
    """Reported by the server; hidden if no request of the run has it."""

    def header(self) -> str:
        """Return the title with its unit."""
        title = translated(self.title)
        return f"{title} ({translated(self.unit)})" if self.unit else title


COLUMNS = (
    Column("index", _n("No."), kind="count", tip=_n("Place in the schedule, from 0.")),
    Column("cls", _n("Class"), kind="text"),
    Column("input", _n("Input"), _n("tokens"), "count", _n("Prompt tokens.")),
    Column("output", _n("Output"), _n("tokens"), "count", _n("Output tokens received.")),
    Column("due", _n("Due"), _n("s"), tip=_n("When the request was due by the schedule.")),
    Column("ttft", _n("TTFT"), _n("s"), tip=_n("From due to the first token; ≥ if none came.")),
    Column("client", _n("Client"), _n("ms"), tip=_n("From due until sent: waits in the client.")),
    Column(
        "queue", _n("Queue"), _n("s"), tip=_n("In the server's queue until first scheduled."), server=True
    ),
    Column(
        "requeue", _n("Waited again"), _n("s"), tip=_n("In the queue again after preemptions."), server=True
    ),
    Column(
        "preempted",
        _n("Preempted"),
        kind="count",
        tip=_n("Number of preemptions for lack of KV blocks; needs recorded steps."),
        server=True,
    ),
    Column(
        "prefill", _n("Prefill"), _n("s"), tip=_n("From first scheduled to the first token."), server=True
    ),
    Column(
        "outside",
        _n("Outside"),
        _n("s"),
        tip=_n("The part of TTFT outside queue and prefill: HTTP, tokenizing, network."),
        server=True,
    ),
    Column("tpot", _n("TPOT"), _n("ms"), tip=_n("Mean time per output token after the first.")),
    Column("e2e", _n("E2E"), _n("s"), tip=_n("From due to the end.")),
    Column("outcome", _n("Outcome"), kind="text"),
    Column("asked", _n("Requested"), _n("tokens"), "count", _n("Output tokens requested."), shown=False),
    Column("connect", _n("Connect"), _n("ms"), tip=_n("Time to open a connection."), shown=False),
    Column("retries", _n("Retries"), kind="count", shown=False),
    Column("status", _n("HTTP"), kind="count", tip=_n("HTTP status of the response."), shown=False),
    Column(
        "finish_reason", _n("Finish"), kind="text", tip=_n("Why the server ended the response."), shown=False
    ),
    Column("session_id", _n("Session"), kind="text", shown=False),
    Column("turn", _n("Turn"), kind="count", shown=False),
    Column("request_id", _n("Id"), kind="text", tip=_n("The X-Request-Id sent."), shown=False),
    Column("error", _n("Error"), kind="text", shown=False),
)
"""In the order of the table."""

OUTCOMES = {
    "completed": _n("completed"),
    "failed": _n("failed"),
    "rejected": _n("rejected"),
    "timed_out": _n("timed out"),
    "cancelled": _n("cancelled"),
    "unfinished": _n("unfinished"),
}
"""Texts of the outcomes."""


def translated(text: str) -> str:
    """Return `text` of a column in the user's language."""
    return QCoreApplication.translate("requests", text) if text else ""


def outcome_text(outcome: str) -> str:
    """Return an outcome in the user's language."""
    return translated(OUTCOMES.get(outcome, outcome))


def place_of(key: str) -> int:
    """Return the section of a column."""
    return next(place for place, column in enumerate(COLUMNS) if column.key == key)
