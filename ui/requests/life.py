"""The parts of a request's life, from due to its end. No Qt."""

import math
from dataclasses import dataclass
from typing import Literal

from ui.requests.table import RequestTable

Part = Literal["client", "awaiting", "queue", "prefill", "outside", "decode", "again", "open"]


@dataclass(frozen=True)
class Span:
    """One part, in seconds of the schedule."""

    part: Part
    start: float
    end: float

    @property
    def length(self) -> float:
        """Length in seconds."""
        return self.end - self.start


@dataclass(frozen=True)
class Life:
    """The parts of one request over time."""

    number: int
    """Its index in the schedule."""
    outcome: str
    due: float
    spans: tuple[Span, ...]

    @property
    def end(self) -> float:
        """Time of its last event."""
        return self.spans[-1].end if self.spans else self.due

    def first_token(self) -> float | None:
        """Return the time of the first token; None without one."""
        return next((span.start for span in self.spans if span.part == "decode"), None)


def life_of(table: RequestTable, place: int) -> Life:
    """Return the life of one request; parts unknown to the server are one `awaiting`."""
    at = {name: float(stamps[place]) for name, stamps in table.moments.items()}
    outcome = str(table.texts["outcome"][place])
    due, sent, first, done = at["due"], at["sent"], at["first_token"], at["done"]
    ended = done if math.isfinite(done) else max(table.ended_s, due)
    spans: list[Span] = []
    if math.isfinite(sent):
        spans.append(Span("client", due, sent))
    start = sent if math.isfinite(sent) else due
    if not math.isfinite(first):
        open_: Part = "client" if not math.isfinite(sent) and not math.isfinite(done) else "awaiting"
        spans.append(Span("open" if outcome == "unfinished" else open_, start, max(ended, start)))
    else:
        queue = float(table.numbers["queue"][place])
        prefill = float(table.numbers["prefill"][place])
        spans += _until_first(start, first, queue, prefill)
        last = at["last_token"] if math.isfinite(at["last_token"]) else ended
        spans += _decode(first, max(last, first), table.waits.get(place, ()))
        if outcome == "unfinished":
            spans.append(Span("open", max(last, first), max(ended, last, first)))
    return Life(
        int(table.numbers["index"][place]), outcome, due, tuple(span for span in spans if _seen(span))
    )


def _seen(span: Span) -> bool:
    return span.length > 0 or span.part == "decode"


def _decode(first: float, last: float, waits: tuple[tuple[float, float], ...]) -> list[Span]:
    """Return decode, with the waits after preemptions in between."""
    spans, at = [], first
    for begin, end in waits:
        if at <= begin < end <= last:
            spans += [Span("decode", at, begin), Span("again", begin, end)]
            at = end
    return [*spans, Span("decode", at, last)]


def _until_first(sent: float, first: float, queue: float, prefill: float) -> list[Span]:
    """Return the parts from sent to the first token; the server's times are cut there."""
    if not math.isfinite(queue):
        return [Span("awaiting", sent, first)]
    queued = min(sent + max(queue, 0.0), first)
    if not math.isfinite(prefill):
        return [Span("queue", sent, queued), Span("awaiting", queued, first)]
    filled = min(queued + max(prefill, 0.0), first)
    return [Span("queue", sent, queued), Span("prefill", queued, filled), Span("outside", filled, first)]
