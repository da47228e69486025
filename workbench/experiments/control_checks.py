"""Whether an experiment changes one control, and one that can be changed."""

from collections.abc import Mapping
from typing import Any

from workbench.base import InputError, Place, Refusal
from workbench.controls import CONTROLS, check_value
from workbench.experiments.stated import StatedExperiment
from workbench.servers import TargetSpec

_CHANGES_ONE = ("switchback", "confirm")
"""Kinds that compare two values of a control."""


def refuse_second_control(content: Mapping[str, Any], where: str) -> None:
    """Whether the file puts more than one control under test, in any of the ways one might write it.

    Raises:
        InputError: it does; names them.
    """
    control = content.get("control")
    names: list[str] = []
    if isinstance(control, list):
        names = [str(entry.get("name", "?")) for entry in control if isinstance(entry, dict)]
    elif isinstance(control, dict):
        given = control.get("name")
        names = [str(name) for name in given] if isinstance(given, list) else [str(given)]
        names += [key for key in control if key in CONTROLS and key != given]
    if len(names) > 1:
        raise InputError(
            f"{where}: [control] one control at a time: this would change {' and '.join(names)};"
            " make one experiment of each, with the same baseline, and run them together"
        )


def check_control(experiment: StatedExperiment, where: str) -> None:
    """Whether the control under test and its values can be tested against the baseline.

    Raises:
        InputError: they can't; names the field.
    """
    if experiment.control is None:
        if experiment.kind in _CHANGES_ONE:
            place = Place(file=where, table="control")
            raise Refusal("experiments.control_missing", place, kind=experiment.kind)
        return
    name, values = experiment.control.name, experiment.control.values
    if not values and experiment.kind not in ("burst", "soak"):
        raise InputError(
            f"{where}: [control] values is empty: give at least one value to compare with the baseline"
        )
    for value in values:
        check_value(name, value, where=f"{where}: [control] values")
    if not values:
        check_known(name, f"{where}: [control]")
    if len(set(values)) < len(values):
        raise InputError(f"{where}: [control] values has the same value twice")
    if name in experiment.baseline and experiment.baseline[name] in values:
        raise InputError(
            f"{where}: [control] values holds {experiment.baseline[name]}, which is the baseline's own {name}"
        )
    if values:
        check_changeable(experiment.target, name, f"{where}: [control]")


def check_known(name: str, where: str) -> None:
    """Whether there is a control of this name.

    Raises:
        InputError: there is none.
    """
    if name not in CONTROLS:
        check_value(name, 0, where=where)


def check_changeable(target: TargetSpec, name: str, place: str) -> None:
    """Whether the target's server can be had with another value of the control.

    Raises:
        InputError: it can't: it isn't ours to restart.
    """
    if target.kind == "attached" and CONTROLS[name].flag is not None:
        ours = ", ".join(control.name for control in CONTROLS.values() if control.flag is None)
        raise InputError(
            f"{place} {name} can't be changed on an attached server, which isn't ours to restart;"
            f" only the caller's own controls can: {ours}"
        )
