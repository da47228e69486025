"""The abilities of a server's vLLM in this setting, as lines of text."""

from typing import TYPE_CHECKING

from ui.language.remarks import remark

if TYPE_CHECKING:
    # The core loads on first use.
    from ui.conductor.trial_report import TrialReport

_SYMBOLS = {"yes": "✓", "partly": "○", "no": "✗"}


def ability_lines(told: "TrialReport") -> str:
    """Return one line for each ability in a trial's output, then what could not be read back."""
    notes = told.effective.notes if told.effective else ()
    lines = [f"{_SYMBOLS[each.standing]} {remark(each.what)}" for each in told.abilities]
    return "\n".join([*lines, *(f"○ {remark(note)}" for note in notes)])
