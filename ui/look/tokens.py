"""The design tokens: hues, widths, sizes and spaces that all widgets share. No Qt here."""

HUES = {
    "running": "#0072B2",
    "waiting": "#E69F00",
    "preemption": "#D55E00",
    "kv": "#009E73",
    "prefill": "#56B4E9",
    "decode": "#0072B2",
    "under_test": "#CC79A7",
    "pass": "#009E73",
    "fail": "#D55E00",
    "warning": "#E69F00",
    "admission": "#F0E442",
    "outside": "#999999",
}
"""Colors by meaning; one meaning has one color everywhere. Hues of Okabe and Ito."""

CLASS_HUES = ("running", "waiting", "kv", "prefill", "admission", "under_test")
"""Hues of request classes in the order of their names, repeated for more; never that of preemptions."""

MARK_CONTRAST = 3.0
TEXT_CONTRAST = 4.5
BASELINE_SHARE = 0.45
"""Share of the text color; gray means baseline everywhere."""

CURVE_PX = 2.0
"""Device-independent width of a curve."""
BASELINE_PX = 1.0
"""Width of the baseline's curve behind."""
LEVEL_PX = 2.0
"""Width of an objective or a limit."""
AXIS_PX = 1.0

SMALLEST = 0.85
SECONDARY = 0.9
HEADING = 1.1
"""Sizes of text, relative to the body."""

SPACE = 4
"""Pixels of the smallest space; larger ones are multiples."""
GAP = 2 * SPACE
MARGIN = 10
"""Space inside a panel."""
ACCENT_PX = 3
"""Width of the mark before a row under test."""

INSIGHTS_PX = 350
"""Least first width of the insights."""
