"""What an experiment states: a target, a baseline, one control under test, a trace, a load, objectives."""

from typing import Any

import msgspec

from workbench.base import Record
from workbench.controls import Value
from workbench.experiments.shapes import (
    Burst,
    ControlUnderTest,
    Cost,
    Kind,
    LoadShape,
    Quality,
    Repeats,
    SecondControl,
    Switchback,
    TraceChoice,
)
from workbench.results import Demand, Objectives
from workbench.servers import TargetSpec


def shown(value: Value) -> str:
    """A control's value as it is shown."""
    return str(value).lower() if isinstance(value, bool) else str(value)


_CONSTANT = (
    "kind",
    "target",
    "baseline",
    "trace",
    "load",
    "repeat",
    "burst",
    "switchback",
    "reproduces",
    "quality",
)


_NO_CONTROL = ControlUnderTest(name="", values=[])


class StatedExperiment(Record, frozen=True, kw_only=True):
    """One experiment as its file states it, not checked yet."""

    name: str
    kind: Kind = "ladder"
    target: TargetSpec
    baseline: dict[str, Value] = msgspec.field(default_factory=dict)
    control: ControlUnderTest | None = None
    """None: the baseline alone is measured, at each rate."""
    trace: TraceChoice
    load: LoadShape
    objectives: Objectives = msgspec.field(default_factory=Objectives)
    repeat: Repeats = msgspec.field(default_factory=Repeats)
    cost: Cost | None = None
    quality: Quality | None = None
    """Whether answers are compared; None: a change that can alter them is marked as not checked."""
    demand: Demand | None = None
    """What must be served: for the fleet, its idle share, the cost of what is accepted."""
    burst: Burst | None = None
    second: SecondControl | None = None
    switchback: Switchback | None = None
    reproduces: str | None = None
    """Bench file whose plan this is, measured again."""

    @property
    def tested(self) -> ControlUnderTest:
        """The control under test; one without name and values where there is none."""
        return self.control or _NO_CONTROL

    def configuration(self, value: Value | None) -> dict[str, Value]:
        """All controls of the variant with the control at `value`; of the baseline for None."""
        if value is None:
            return dict(self.baseline)
        return {**self.baseline, self.tested.name: value}

    def two_by_two(self) -> list[tuple[str, Value, dict[str, Value]]]:
        """Of a 2 by 2, besides the baseline and the first control alone: name, value and all controls."""
        if self.second is None:
            return []
        first, second = self.tested, self.second
        alone = {**self.baseline, second.name: second.value}
        both = {**alone, first.name: first.values[0]}
        together = f"{shown(first.values[0])} + {shown(second.value)}"
        return [(second.name, second.value, alone), (f"{first.name} + {second.name}", together, both)]

    def constants(self) -> dict[str, Any]:
        """What experiments that share a scorecard must have in common."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return {key: built[key] for key in _CONSTANT}
