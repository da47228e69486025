"""Verdicts on a difference: better, worse, no difference above x, or more runs needed."""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from workbench.base import Message, Record, message
from workbench.results.figure_titles import figure_name
from workbench.results.statistics.difference import ENOUGH_REPEATS, Difference

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
    note: Message | None = None
    """What the verdict assumes, or why there is no difference."""
    floor: float | None = None
    """The load generator's own error in the figure's unit, where the difference seen lies below it."""
    moved: str | None = None
    """What moved on the server besides the control: the difference can come from that."""

    def sentence(self) -> Message:
        """Return the verdict with its figures, and what else can have made the difference."""
        if self.moved is None:
            return self._judged()
        return message("results.verdict_moved", verdict=self._judged(), moved=self.moved)

    def to_json(self) -> dict[str, Any]:
        """Return the fields and the sentence for events and exports; `message` is the sentence as data."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        said = self.sentence()
        note = None if self.note is None else str(self.note)
        return {**fields, "note": note, "sentence": str(said), "message": msgspec.to_builtins(said)}

    def _judged(self) -> Message:
        name, word = figure_name(self.figure, self.cls), self._word()
        if self.difference is None:
            return message("results.verdict_without_figures", name=name, word=word, why=self.note)
        found = self.difference
        below = [] if self.floor is None else [message("results.below_resolution", floor_ms=self.floor)]
        if self.word == Word.CANT_TELL and found.repeats == 1:
            # The interval of one run each rests on an assumption, so it is not shown as if it was measured.
            change = message("results.change", before=found.baseline, after=found.variant)
            return message("results.verdict", name=name, word=word, found=[change, *below])
        change = message(
            "results.change_with_interval",
            before=found.baseline,
            after=found.variant,
            lo=found.lo,
            hi=found.hi,
        )
        notes = [] if self.note is None else [self.note]
        return message("results.verdict", name=name, word=word, found=[change, *notes, *below])

    def _word(self) -> Message:
        single = None if self.difference is None or self.difference.repeats > 1 else self.difference.runs()
        word = _WORDS[self.word]
        if self.word == Word.NO_DIFFERENCE and self.above is not None:
            word = message("results.no_difference_above", above=self.above)
        elif self.word == Word.CANT_TELL and single is not None:
            return message("results.repeat_to_know", runs=single)
        elif self.word == Word.CANT_TELL and self.minutes_more is not None:
            return message("results.more_minutes", minutes=math.ceil(self.minutes_more))
        return word if single is None else message("results.word_from_runs", word=word, runs=single)


_WORDS = {
    Word.BETTER: message("results.better"),
    Word.WORSE: message("results.worse"),
    Word.NO_DIFFERENCE: message("results.no_difference"),
    Word.CANT_TELL: message("results.cant_tell"),
}


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


def client_resolution_ms(figure: str, facts: Mapping[str, Any], time_scale: float = 1.0) -> float:
    """Differences of a figure below this are the load generator's own; 0: it has none, or none is known.

    Args:
        figure: by the scorecard's name.
        facts: what holds the floors by their columns' names: an experiment's facts or a scorecard's row.
        time_scale: simulated seconds in a second, for a calibration is in wall time.
    """
    return float(facts.get(_COLUMNS.get(figure, "")) or 0.0) * time_scale
