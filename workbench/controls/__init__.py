"""The scheduler's controls as data: name, flag, what each limits, what to watch, range, interplay."""

from workbench.controls.caches import NOT_CONTROLS
from workbench.controls.catalogue import ADMISSION, CONTROLS, ECHOES, FOLLOWS
from workbench.controls.check import (
    check_interplay,
    check_value,
    control_flags,
    effective_mismatches,
    values_in_force,
)
from workbench.controls.control import Control, Value
from workbench.controls.numerics import NUMERICS

__all__ = [
    "ADMISSION",
    "CONTROLS",
    "ECHOES",
    "FOLLOWS",
    "NOT_CONTROLS",
    "NUMERICS",
    "Control",
    "Value",
    "check_interplay",
    "check_value",
    "control_flags",
    "effective_mismatches",
    "values_in_force",
]
