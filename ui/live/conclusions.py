"""The core's conclusions on a plan, as its last event has them. No Qt here."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from workbench.base import UNREADABLE, Message

Said = Message | str
"""A message, or the English text of an early version."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Variant minus baseline in the figure's unit, with its 95 % interval."""

    baseline: float
    estimate: float
    lo: float
    hi: float
    repeats: int


class FigureVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of one variant against the baseline, from `results.Verdict`."""

    figure: str
    """The scorecard's column."""
    variant: str
    """The variant's row."""
    word: str
    cls: str | None = None
    """Class of the trace; None: all requests."""
    difference: Difference | None = None
    """The difference; None if it means nothing, as in a diverging run."""
    minutes_more: float | None = None
    """Minutes of further repeats that would probably decide, if they are known."""
    sentence: str = ""
    message: Message | None = None
    """The sentence as data."""

    @property
    def said(self) -> Said:
        """The verdict with its figures."""
        return self.message or self.sentence


class ObjectiveCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One objective against its figure."""

    objective: str
    cls: str | None
    value: float | None
    limit: float
    met: bool | None


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the scorecard in the ranking, from `results.Candidate`."""

    run: str
    checks: tuple[ObjectiveCheck, ...] = ()
    against: tuple[str, ...] = ()
    against_messages: tuple[Message, ...] | None = None
    not_judged: tuple[str, ...] = ()
    not_judged_messages: tuple[Message, ...] | None = None
    classes_open: bool = False
    """Objectives of a class can't be judged."""

    def remarks(self) -> tuple[Said, ...]:
        """Return what could not be judged, then what speaks against the row."""
        not_judged, against = self.not_judged_messages, self.against_messages
        return (
            *(self.not_judged if not_judged is None else not_judged),
            *(self.against if against is None else against),
        )


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """The recommendation of a scorecard, from `results.Ranking`."""

    recommended: Candidate | None = None
    others: tuple[Candidate, ...] = ()
    by: str = ""
    by_message: Message | None = None
    compared: bool = True
    """False: only one configuration had a valid run."""

    @property
    def order(self) -> Said:
        """The figure that the order is by."""
        return self.by_message or self.by

    def of(self, row: str) -> Candidate | None:
        """Return the candidate of this row."""
        best = () if self.recommended is None else (self.recommended,)
        return next((each for each in (*best, *self.others) if each.run == row), None)


def read_verdicts(told: Sequence[Mapping[str, Any]]) -> tuple[FigureVerdict, ...]:
    """Return an event's verdicts; none if another version's can't be read."""
    try:
        return msgspec.convert(told, tuple[FigureVerdict, ...])
    except UNREADABLE:
        return ()


def read_ranking(told: Mapping[str, Any] | None) -> Ranking | None:
    """Return an event's ranking; None if another version's can't be read."""
    try:
        return msgspec.convert(told, Ranking | None)
    except UNREADABLE:
        return None
