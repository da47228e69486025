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
"""Differences below this share of the baseline's figure don't matter."""
_LEVEL = 0.05


class VerdictKind(StrEnum):
    """The conclusion; every compared figure is better when it is lower."""

    BETTER = "better"
    WORSE = "worse"
    NO_DIFFERENCE = "no difference"
    CANT_TELL = "can't tell yet"


class Verdict(Record, frozen=True, kw_only=True):
    """One figure of one variant against the baseline at the same rate."""

    figure: str
    """The scorecard's column: `ttft_p95_ms`."""
    cls: str | None
    """Class of the trace; None: all requests."""
    variant: str
    """The variant's row in the scorecard."""
    rate: float | None
    word: VerdictKind
    difference: Difference | None
    """Difference; None if one of percentiles means nothing, as in a diverging run."""
    above: float | None = None
    """With `no difference`: the largest difference that the interval allows, in the figure's unit."""
    p_adjusted: float | None = None
    """Holm's adjusted p-value, over all values and figures of the scorecard."""
    minutes_more: float | None = None
    """With `can't tell yet`: minutes of further repeats that would probably decide; None for one run each,
    which don't show the spread between repeats."""
    note: Message | None = None
    """Assumption of the verdict, or the reason why there is no difference."""
    floor: float | None = None
    """The load generator's measurement resolution in the figure's unit, if the difference is below it."""
    moved: str | None = None
    """Other changes on the server besides the control, which may cause the difference."""

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
        if self.word == VerdictKind.CANT_TELL and found.repeats == 1:
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
        if self.word == VerdictKind.NO_DIFFERENCE and self.above is not None:
            word = message("results.no_difference_above", above=self.above)
        elif self.word == VerdictKind.CANT_TELL and single is not None:
            return message("results.repeat_to_know", runs=single)
        elif self.word == VerdictKind.CANT_TELL and self.minutes_more is not None:
            return message("results.more_minutes", minutes=math.ceil(self.minutes_more))
        return word if single is None else message("results.word_from_runs", word=word, runs=single)


_WORDS = {
    VerdictKind.BETTER: message("results.better"),
    VerdictKind.WORSE: message("results.worse"),
    VerdictKind.NO_DIFFERENCE: message("results.no_difference"),
    VerdictKind.CANT_TELL: message("results.cant_tell"),
}


def judge(
    found: Difference, p_adjusted: float, *, run_minutes: float, matters: float = MATTERS
) -> tuple[VerdictKind, float | None, float | None]:
    """Return the word, with `above` for no difference and `minutes_more` for can't tell yet.

    `run_minutes` is the length of one run of one arm.
    """
    if p_adjusted <= _LEVEL:
        return (VerdictKind.BETTER if found.estimate < 0 else VerdictKind.WORSE), None, None
    possible = max(abs(found.lo), abs(found.hi))
    seen = found.baseline or found.variant
    if not seen or possible <= matters * abs(found.baseline):
        return VerdictKind.NO_DIFFERENCE, possible, None
    if found.repeats == 1:
        return VerdictKind.CANT_TELL, None, None
    return VerdictKind.CANT_TELL, None, _minutes_more(found, run_minutes, matters)


def _minutes_more(found: Difference, run_minutes: float, matters: float) -> float | None:
    """Return the minutes of repeats until the interval, narrowing by their root, decides."""
    margin = (found.hi - found.lo) / 2
    size = abs(found.estimate)
    target = max(size, matters * abs(found.baseline) - size)
    if target <= 0 or not math.isfinite(margin):
        return None
    needed = max(math.ceil(found.repeats * (margin / target) ** 2), found.repeats + 1, ENOUGH_REPEATS)
    return 2 * (needed - found.repeats) * run_minutes


# The load generator's measurement resolution, from its calibration.

_COLUMNS = {
    "ttft_p95_ms": "client_floor_ttft_ms",
    "e2e_p95_ms": "client_floor_ttft_ms",
    "itl_p95_ms": "client_floor_itl_ms",
}
"""The scorecard's column with each figure's measurement resolution."""


def client_resolution_ms(figure: str, facts: Mapping[str, Any], time_scale: float = 1.0) -> float:
    """Return the load generator's measurement resolution of a figure; 0: none, or unknown.

    Args:
        figure: the scorecard's column.
        facts: an experiment's facts or a scorecard's row, with the resolutions by column.
        time_scale: simulated seconds in a second, because a calibration is in wall time.
    """
    return float(facts.get(_COLUMNS.get(figure, "")) or 0.0) * time_scale
