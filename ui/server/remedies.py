"""Edits of the draft that fix a server's failure. No Qt."""

import re
from dataclasses import dataclass

from ui.experiment.draft import Draft
from workbench.controls import CONTROLS


@dataclass(frozen=True)
class Fix:
    """One change of the baseline."""

    control: str
    value: int | None
    """Value to set; None if none is known: the user is taken to the field."""


_VALUES = re.compile(r"\b(?:lower|raise|set) (\w+) to (\d+)")
_WORDS = re.compile(r"\b(?:lower|raise|set) (\w+)")
_OR = re.compile(r"\bor (?:lower |raise )?(\w+)")


def fixes_of(explanation: str) -> tuple[Fix, ...]:
    """Return the controls that an explanation says to change, those with a value first."""
    valued = {name: int(value) for name, value in _VALUES.findall(explanation) if name in CONTROLS}
    named = [*_WORDS.findall(explanation), *_OR.findall(explanation)]
    others = [name for name in dict.fromkeys(named) if name in CONTROLS and name not in valued]
    return (
        *(Fix(name, value) for name, value in valued.items()),
        *(Fix(name, None) for name in others),
    )


def fixed(draft: Draft, fix: Fix) -> Draft:
    """Return the draft with the fix.

    If the control is under test, its values above the limit are removed: they would fail the same way.
    """
    assert fix.value is not None
    if fix.control != draft.control:
        return draft.with_baseline(fix.control, fix.value)
    limit = fix.value
    kept = tuple(value for value in draft.values if not isinstance(value, int) or value < limit)
    return draft.with_baseline(fix.control, limit).with_fields(values=kept or draft.values)
