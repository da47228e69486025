"""Edits of the draft that fix a server's failed start. No Qt."""

from ui.experiment.draft import Draft
from workbench.vllm_dialect import ControlChange


def fixed(draft: Draft, fix: ControlChange) -> Draft:
    """Return the draft with the fix.

    If the control is under test, its values above the limit are removed: they would fail the same way.
    """
    assert fix.value is not None
    if fix.control != draft.control:
        return draft.with_baseline(fix.control, fix.value)
    limit = fix.value
    kept = tuple(value for value in draft.values if not isinstance(value, int) or value < limit)
    return draft.with_baseline(fix.control, limit).with_fields(values=kept or draft.values)
