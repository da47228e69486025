"""The stage's colors: the hue says whose work it is, the tone says which. Made in the window's thread."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QColor

from ui.steps.pixels import Colours
from ui.theme import Theme, blend

DECODE_TONE = 0.5
WAITING_TONE = 0.4
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
    hues = class_colours(theme, classes, unknown=unknown)
    ground = theme.background

    def toned(share: float) -> Colours:
        return np.array([_rgb(tone(hue, theme, share)) for hue in hues], dtype=np.float32)

    def one(colour: QColor) -> Colours:
        return np.array(_rgb(colour), dtype=np.float32)

    return StageColours(
        ground=one(ground),
        prefill=toned(1.0),
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


def tone(hue: QColor, theme: Theme, share: float) -> QColor:
    """Return a paler tone of a class's color."""
    return blend(hue, theme.background, share)


def _rgb(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()
