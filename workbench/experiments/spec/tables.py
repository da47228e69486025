"""The tables of an experiment file, one record each; what they may hold is checked in `checks`."""

from datetime import date
from typing import Any, Literal

import msgspec

from workbench.base import Record
from workbench.controls import Value
from workbench.results import Demand, Objectives
from workbench.servers import TargetSpec, target_value


class ControlUnderTest(Record, frozen=True, kw_only=True):
    """The one setting that changes, and the values it takes besides the baseline's."""

    name: str
    values: list[Value]


class TraceChoice(Record, frozen=True, kw_only=True):
    """Which requests are replayed: a file, `IN:OUT` tokens each, or a generated mix."""

    file: str | None = None
    synthetic: str | None = None
    mix: str | None = None
    format: str | None = None
    time_unit: Literal["s", "ms", "us", "ns", "days"] | None = None
    """Of the file's numeric times, where the file doesn't say it."""
    seed: int = 1
    max_len: Literal["refuse", "drop", "clamp"] = "refuse"
    speedup: float = 1.0
    replay_text: bool = False
    """Whether the prompts that the file holds are sent themselves, not invented ones of the same length."""
    tokenizer: str | None = None
    """Local tokenizer that counts texts whose length the file doesn't say."""


Arrivals = Literal["trace", "poisson", "constant", "gamma"]
Kind = Literal["ladder", "burst", "soak", "confirm", "switchback"]


class LadderShape(Record, frozen=True, kw_only=True):
    """Rates that rise by a factor; adaptive: until one is too much, then the last step is cut in two."""

    start: float = msgspec.field(name="from")
    to: float
    factor: float = 1.5
    adaptive: bool = False
    bisections: int = 2

    def rates(self) -> list[float]:
        """All its rates, the last not above `to`; three digits each."""
        found, rate = [], self.start
        while rate <= self.to * (1 + 1e-9):
            found.append(round_rate(rate))
            rate *= self.factor
        return found


def round_rate(rate: float) -> float:
    """A rate as it is shown and asked for."""
    return float(f"{rate:.3g}")


class LoadShape(Record, frozen=True, kw_only=True):
    """How hard and how long: a ladder of rates or of concurrencies, bounded by requests or by time."""

    rates: list[float] | None = None
    ladder: LadderShape | None = None
    concurrency: list[int] | None = None
    requests: int | None = None
    duration_s: float | None = None
    warmup_s: float = 0.0
    max_in_flight: int | None = None
    queue_timeout_s: float | None = None
    arrivals: Arrivals | None = None
    """None: a trace file and a mix keep their own times, scaled to the rate; equal requests are Poisson."""
    burstiness: float = 1.0
    endpoint: Literal["completions", "chat"] = "completions"
    workers: int | None = None
    profile: str | None = None
    """A rate that changes: `ramp:FROM:TO:SECONDS`, `steps:RATE@SECONDS,…`, `bursts:BASE:PEAK:EVERY:FOR`.

    With rates it keeps its shape, and each of them is its mean.
    """
    request_timeout_s: float | None = None
    """A request unanswered so long after it was sent is given up, as callers do: timed_out."""
    max_retries: int = 0
    """How often a request that was rejected, or failed before its first token, is sent again."""
    retry_backoff_s: float = 0.5
    """Wait before the first of them; it doubles with each one, up to 8 s."""
    input_mode: Literal["ids", "text"] | None = None
    """How prompts are sent; None: token ids on completions, text on chat."""
    schedule_form: Literal[1, 2] | None = None
    """How due times follow from seed, rate and bounds; None: as this build makes them.

    1 is that of older builds, whose bench files it lets measure again.
    """

    def offered_rates(self) -> list[float] | None:
        """The rates to be offered, lowest bound to highest; None: a closed loop or the trace's own times."""
        return self.ladder.rates() if self.ladder is not None else self.rates


class Repeats(Record, frozen=True, kw_only=True):
    """How often each configuration runs, and in which order."""

    n: int = 1
    order: Literal["interleaved", "sequential"] = "interleaved"
    seed: int = 1
    drop_dominated: bool = False
    """Whether a value that is clearly out is dropped from later repeats."""
    disturbed: int = 0
    """How often a run that this machine spoilt (a late load generator, a clock that jumped) is done again."""


class Cost(Record, frozen=True, kw_only=True):
    """What the system costs, as the user states it; nothing is assumed."""

    currency: str
    per_hour: float
    basis: Literal["purchase", "on_demand", "reserved", "spot", "rental"]
    price_date: date
    source: str


class Quality(Record, frozen=True, kw_only=True):
    """Greedy answers compared with the baseline's, before each configuration's first run."""

    prompts: str
    """A file: one prompt a line, or `.jsonl` with `prompt` in each line."""
    tokens: int = 64
    """Of an answer, at most."""


class Burst(Record, frozen=True, kw_only=True):
    """The normal rate, then for some seconds a multiple of it, then the normal rate again."""

    factor: float
    seconds: float
    at: float
    """Seconds from the schedule's start to the burst's."""


class SecondControl(Record, frozen=True, kw_only=True):
    """The other control of a 2 by 2: the one exception to one control at a time."""

    name: str
    value: Value


class Switchback(Record, frozen=True, kw_only=True):
    """Blocks of the baseline and of the variant in turn on one running server."""

    block_s: float = 45.0
    washout_s: float = 10.0
    """What is due so soon after a switch is left out."""


# What an experiment states: a target, a baseline, one control under test, a trace, a load, objectives.


def value_text(value: Value) -> str:
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


class ExperimentSpec(Record, frozen=True, kw_only=True):
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
            return {**self._own_vllm(), **self.baseline}
        return {**self.baseline, self.tested.name: value}

    def _own_vllm(self) -> dict[str, Value]:
        """The target's own value of a control that takes the place of one, where that is under test."""
        name = None if self.control is None else self.control.name
        own = None if name is None else target_value(self.target, name)
        return {} if name is None or own is None else {name: own}

    def two_by_two(self) -> list[tuple[str, Value, dict[str, Value]]]:
        """Of a 2 by 2, besides the baseline and the first control alone: name, value and all controls."""
        if self.second is None:
            return []
        first, second = self.tested, self.second
        alone = {**self.baseline, second.name: second.value}
        both = {**alone, first.name: first.values[0]}
        together = f"{value_text(first.values[0])} + {value_text(second.value)}"
        return [(second.name, second.value, alone), (f"{first.name} + {second.name}", together, both)]

    def shared_settings(self) -> dict[str, Any]:
        """What experiments that share a scorecard must have in common."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return {key: built[key] for key in _CONSTANT}
