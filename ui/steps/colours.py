"""The stage's colors: the hue says whose work it is, the tone says which. Made in the window's thread."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QColor

from ui.look.theme import Theme, blend
from ui.steps.pixels import Colours

DECODE_TONE = 0.55
WAITING_TONE = 0.42
KV_TONE = 0.7
HELD_TONE = 0.16
"""Opacity of a slot that a step doesn't compute."""
RANGE_TONE = 0.22
"""Opacity of the range from the mean to the largest value of a column."""
FAINT_SHARE = 0.22
"""Opacity of requests beside the highlighted ones."""


@dataclass(frozen=True, slots=True)
class StageColours:
    """RGB, 0 to 255; arrays have one row a class."""

    ground: Colours
    prefill: Colours
    decode: Colours
    waiting: Colours
    kv: Colours
    held: Colours
    lost: Colours
    """Recomputation and preemption."""
    other: Colours
    """Blocks without a known owner."""
    bar: Colours
    """Durations of steps."""
    text: Colours
    reasons: Colours
    """One row a reason of `step_arrays.REASONS`."""


def stage_colours(theme: Theme, classes: int, *, unknown: bool) -> StageColours:
    """Return the colors for so many classes; with `unknown` the last is gray."""
    ground = theme.background
    places = range(classes)

    def toned(share: float) -> Colours:
        pales = [pale(theme, place, classes, share, unknown=unknown) for place in places]
        return np.array([_rgb(colour) for colour in pales], dtype=np.float32)

    def one(colour: QColor) -> Colours:
        return np.array(_rgb(colour), dtype=np.float32)

    return StageColours(
        ground=one(ground),
        prefill=np.array(
            [_rgb(hue) for hue in class_colours(theme, classes, unknown=unknown)], dtype=np.float32
        ),
        decode=toned(DECODE_TONE),
        waiting=toned(WAITING_TONE),
        kv=toned(KV_TONE),
        held=toned(HELD_TONE),
        lost=one(theme.mark("preemption")),
        other=one(blend(theme.text, ground, 0.18)),
        bar=one(blend(theme.text, ground, 0.5)),
        text=one(theme.text),
        reasons=np.array([_rgb(colour) for colour in reason_colours(theme)], dtype=np.float32),
    )


def reason_colours(theme: Theme) -> list[QColor]:
    """Return the color of each reason of `step_arrays.REASONS`, as the bottleneck timeline has them."""
    hues = ("waiting", "prefill", "kv", "preemption", "outside")
    return [theme.background, *(theme.mark(hue) for hue in hues)]


def class_colours(theme: Theme, classes: int, *, unknown: bool) -> list[QColor]:
    """Return the strong color of each class."""
    hues = [theme.of_class(place) for place in range(classes)]
    if unknown and classes > 1:
        hues[-1] = theme.mark("outside")
    return hues


def pale(theme: Theme, place: int, classes: int, share: float, *, unknown: bool) -> QColor:
    """Return a paler tone of a class's color."""
    if unknown and classes > 1 and place == classes - 1:
        return blend(theme.mark("outside"), theme.background, share)
    return theme.pale_class(place, share)


def _rgb(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()
