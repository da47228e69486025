"""A difference in words: better, worse, no difference above x, or can't tell yet and what would."""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from workbench.base import Record
from workbench.results.statistics.difference import ENOUGH_REPEATS, Difference
from workbench.results.wording import short

MATTERS = 0.10
"""A difference below this share of the baseline's figure is none that one would act on."""
_LEVEL = 0.05


class Word(StrEnum):
    """What the numbers allow one to conclude; every figure compared is better when it is lower."""

    BETTER = "better"
    WORSE = "worse"
    NO_DIFFERENCE = "no difference"
    CANT_TELL = "can't tell yet"


class Verdict(Record, frozen=True, kw_only=True):
    """One figure of one variant against the baseline at the same rate."""

    figure: str
    """As the scorecard's column: `ttft_p95_ms`."""
    cls: str | None
    """Class of the trace; None: all requests."""
    variant: str
    """The variant's row in the scorecard."""
    rate: float | None
    word: Word
    difference: Difference | None
    """None where no difference of percentiles means anything, as in a diverging run."""
    above: float | None = None
    """With `no difference`: the largest that the interval leaves possible, in the figure's unit."""
    p_adjusted: float | None = None
    """Holm's, over all values and figures of the scorecard."""
    minutes_more: float | None = None
    """With `can't tell yet`: minutes of further repeats that would probably settle it; None for one run each,
    which don't show what repeats would have to average out."""
    note: str | None = None
    floor: float | None = None
    """The load generator's own error in the figure's unit, where the difference seen lies below it."""
    moved: str | None = None
    """What moved on the server besides the control: the difference can come from that."""

    def sentence(self) -> str:
        """The verdict with its figures, for people, and what else can have made the difference."""
        return self._judged() if self.moved is None else f"{self._judged()}; also moved: {self.moved}"

    def told(self) -> dict[str, Any]:
        """As events and exports carry it: its fields and its sentence."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        return {**fields, "sentence": self.sentence()}

    def _judged(self) -> str:
        name = self.figure if self.cls is None else f"{self.figure} of {self.cls}"
        if self.difference is None:
            return f"{name}: {self.word} ({self.note})"
        found = self.difference
        if self.word == Word.CANT_TELL and found.repeats == 1:
            # Its interval rests on what a restart is assumed to change, and reads as if it had been seen.
            below = "" if self.floor is None else f"; {self._below(self.floor)}"
            return f"{name}: {self._words()} ({short(found.baseline)} to {short(found.variant)}{below})"
        change = (
            f"{short(found.baseline)} to {short(found.variant)}, "
            f"95 % interval of the change {short(found.lo)} to {short(found.hi)}"
        )
        said = [self.note, None if self.floor is None else self._below(self.floor)]
        tail = "".join(f"; {words}" for words in said if words)
        return f"{name}: {self._words()} ({change}{tail})"

    @staticmethod
    def _below(floor: float) -> str:
        return f"below the {short(floor)} ms that this client can resolve"

    def _words(self) -> str:
        single = None if self.difference is None or self.difference.repeats > 1 else self.difference.runs()
        if self.word == Word.NO_DIFFERENCE and self.above is not None:
            words = f"no difference above {short(self.above)}"
            return words if single is None else f"{words}, from {single}"
        if self.word == Word.CANT_TELL and single is not None:
            return f"{single}: repeat to know"
        if self.word == Word.CANT_TELL and self.minutes_more is not None:
            return f"can't tell yet; about {math.ceil(self.minutes_more)} more minutes would"
        return str(self.word) if single is None else f"{self.word}, from {single}"


def judge(
    found: Difference, p_adjusted: float, *, run_minutes: float, matters: float = MATTERS
) -> tuple[Word, float | None, float | None]:
    """The word, with `above` for no difference and `minutes_more` where one can't tell.

    `run_minutes` is what one run of one arm takes.
    """
    if p_adjusted <= _LEVEL:
        return (Word.BETTER if found.estimate < 0 else Word.WORSE), None, None
    possible = max(abs(found.lo), abs(found.hi))
    seen = found.baseline or found.variant
    if not seen or possible <= matters * abs(found.baseline):
        return Word.NO_DIFFERENCE, possible, None
    if found.repeats == 1:
        return Word.CANT_TELL, None, None
    return Word.CANT_TELL, None, _minutes_more(found, run_minutes, matters)


def _minutes_more(found: Difference, run_minutes: float, matters: float) -> float | None:
    """Repeats narrow the interval by the root of their number, till it excludes zero or all that matters."""
    margin = (found.hi - found.lo) / 2
    size = abs(found.estimate)
    target = max(size, matters * abs(found.baseline) - size)
    if target <= 0 or not math.isfinite(margin):
        return None
    needed = max(math.ceil(found.repeats * (margin / target) ** 2), found.repeats + 1, ENOUGH_REPEATS)
    return 2 * (needed - found.repeats) * run_minutes


# What the load generator resolves, by its own calibration.

_COLUMNS = {
    "ttft_p95_ms": "client_floor_ttft_ms",
    "e2e_p95_ms": "client_floor_ttft_ms",
    "itl_p95_ms": "client_floor_itl_ms",
}
"""The scorecard's column that holds each figure's floor."""


def client_floor_ms(figure: str, facts: Mapping[str, Any], time_scale: float = 1.0) -> float:
    """Differences of a figure below this are the load generator's own; 0: it has none, or none is known.

    Args:
        figure: by the scorecard's name.
        facts: what holds the floors by their columns' names: an experiment's facts or a scorecard's row.
        time_scale: simulated seconds in a second, for a calibration is in wall time.
    """
    return float(facts.get(_COLUMNS.get(figure, "")) or 0.0) * time_scale
