"""Values of a control to choose among when its best one is searched."""

from collections.abc import Mapping

from workbench.base import InputError
from workbench.controls.catalogue import CONTROLS
from workbench.controls.check import check_interplay, check_value
from workbench.controls.control import Value

_BEYOND = 4
"""Candidates reach beyond the usual values and the present one by this factor."""


def candidate_values(name: str, configuration: Mapping[str, Value]) -> list[Value]:
    """Return values for a search, without the configuration's own; empty for a control without usual values.

    A whole number gets its usual values and the doublings around them and the present value; values that
    the rest of the configuration forbids are left out.
    """
    control, held = CONTROLS[name], configuration.get(name)
    found: list[Value] = list(control.ladder)
    whole = [value for value in (*control.ladder, held) if isinstance(value, int) and value > 0]
    if control.ladder and control.kind == "integer" and whole:
        found = sorted({*_doublings(control.ladder, min(whole) / _BEYOND, max(whole) * _BEYOND)})
    return [value for value in found if value != held and _fits(name, value, configuration)]


def _doublings(ladder: tuple[Value, ...], low: float, high: float) -> list[int]:
    """Return the ladder's whole numbers, their halves down to `low` and their doubles up to `high`."""
    steps = [value for value in ladder if isinstance(value, int) and value > 0]
    found = list(steps)
    value = min(steps) // 2
    while value >= max(1.0, low):
        found.append(value)
        value //= 2
    value = max(steps) * 2
    while value <= high:
        found.append(value)
        value *= 2
    return found


def _fits(name: str, value: Value, configuration: Mapping[str, Value]) -> bool:
    try:
        check_value(name, value)
        check_interplay({**configuration, name: value})
    except InputError:
        return False
    return True
