"""The experiment: a target, a baseline, exactly one control under test, a trace, a load, objectives.

Read from and written to TOML (docs/definitions.md, "Experiment file"). Two configurations that differ in more
than one control can't be put into one experiment.
"""

import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal, Self

import msgspec

from workbench.base import InputError, Record
from workbench.controls import CONTROLS, Value, check_interplay, check_value
from workbench.results import Objectives
from workbench.servers import TargetSpec, check_target


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
    seed: int = 1
    max_len: Literal["refuse", "drop", "clamp"] = "refuse"
    speedup: float = 1.0


Arrivals = Literal["trace", "poisson", "constant", "gamma"]


class LoadShape(Record, frozen=True, kw_only=True):
    """How hard and how long: a ladder of rates or of concurrencies, bounded by requests or by time."""

    rates: list[float] | None = None
    concurrency: list[int] | None = None
    requests: int | None = None
    duration_s: float | None = None
    warmup_s: float = 0.0
    max_in_flight: int | None = None
    queue_timeout_s: float | None = None
    arrivals: Arrivals = "poisson"
    burstiness: float = 1.0
    endpoint: Literal["completions", "chat"] = "completions"
    workers: int | None = None


class Repeats(Record, frozen=True, kw_only=True):
    """How often each configuration runs, and in which order."""

    n: int = 1
    order: Literal["interleaved", "sequential"] = "interleaved"
    seed: int = 1


class Cost(Record, frozen=True, kw_only=True):
    """What the system costs, as the user states it; nothing is assumed."""

    currency: str
    per_hour: float
    basis: Literal["purchase", "on_demand", "reserved", "spot", "rental"]
    price_date: date
    source: str


class Experiment(Record, frozen=True, kw_only=True):
    """One experiment, as its file says it."""

    name: str
    target: TargetSpec
    baseline: dict[str, Value] = msgspec.field(default_factory=dict)
    control: ControlUnderTest
    trace: TraceChoice
    load: LoadShape
    objectives: Objectives = msgspec.field(default_factory=Objectives)
    repeat: Repeats = msgspec.field(default_factory=Repeats)
    cost: Cost | None = None

    def configuration(self, value: Value | None) -> dict[str, Value]:
        """All controls of the variant with the control at `value`; of the baseline for None."""
        if value is None:
            return dict(self.baseline)
        return {**self.baseline, self.control.name: value}

    def constants(self) -> dict[str, Any]:
        """What experiments that share a scorecard must have in common."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return {key: built[key] for key in ("target", "baseline", "trace", "load", "repeat")}

    @classmethod
    def load_file(cls, path: Path) -> Self:
        """Read and check one file.

        Raises:
            InputError: unreadable, not TOML, unknown key, wrong value, second control; names the place.
        """
        try:
            text = path.read_bytes().decode()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise InputError(f"{path}: can't be read: {reason}") from error
        return cls.from_toml(text, where=str(path))

    @classmethod
    def from_toml(cls, text: str, *, where: str) -> Self:
        """As `load_file`, from text; paths inside stay as written.

        Raises:
            InputError: as `load_file`.
        """
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{where}: not TOML: {error}") from error
        refuse_second_control(content, where)
        try:
            experiment = msgspec.convert(content, cls)
        except msgspec.ValidationError as error:
            raise InputError(f"{where}: {_in_toml_words(str(error))}") from error
        check_experiment(experiment, where)
        return experiment


_WORDS = {
    "Object contains unknown field": "unknown key",
    "Object missing required field": "missing key",
    "`object`": "a table",
    "`array`": "a list",
    "`str`": "text",
    "`int`": "a whole number",
    "`float`": "a number",
    "`bool`": "true or false",
    "`date`": "a date",
    "`null`": "nothing",
    "Expected": "must be",
    ", got": ", not",
    " | ": " or ",
    "Invalid enum value": "not a possible value:",
    "`": "",
}


def _in_toml_words(message: str) -> str:
    """`Object contains unknown field `x` - at `$.load`` as `[load] unknown key x`."""
    problem, _, place = message.partition(" - at ")
    table, _, key = place.strip("`").removeprefix("$").strip(".").partition(".")
    for theirs, ours in _WORDS.items():
        problem = problem.replace(theirs, ours)
    return f"{f'[{table}] ' if table else ''}{f'{key} ' if key else ''}{problem}"


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


def check_experiment(experiment: Experiment, where: str) -> None:
    """Whether every value is possible and all can stand together.

    Raises:
        InputError: the first that isn't, with its place.
    """
    check_target(experiment.target, where=where)
    for name, value in experiment.baseline.items():
        check_value(name, value, where=f"{where}: [baseline]")
    _check_control(experiment, where)
    check_trace(experiment.trace, where)
    check_load(experiment.load, where)
    if experiment.repeat.n < 1:
        raise InputError(f"{where}: [repeat] n must be at least 1, not {experiment.repeat.n}")
    if experiment.cost is not None and not experiment.cost.per_hour > 0:
        raise InputError(f"{where}: [cost] per_hour must be above 0, not {experiment.cost.per_hour}")
    for chosen in (None, *experiment.control.values):
        configuration = experiment.configuration(chosen)
        place = "[baseline]" if chosen is None else f"[control] {experiment.control.name} = {chosen}"
        check_interplay(configuration, where=f"{where}: {place}")


def _check_control(experiment: Experiment, where: str) -> None:
    name, values = experiment.control.name, experiment.control.values
    if not values:
        raise InputError(
            f"{where}: [control] values is empty: give at least one value to compare with the baseline"
        )
    for value in values:
        check_value(name, value, where=f"{where}: [control] values")
    if len(set(values)) < len(values):
        raise InputError(f"{where}: [control] values has the same value twice")
    if name in experiment.baseline and experiment.baseline[name] in values:
        raise InputError(
            f"{where}: [control] values holds {experiment.baseline[name]}, which is the baseline's own {name}"
        )
    if experiment.target.kind == "attached" and CONTROLS[name].flag is not None:
        ours = ", ".join(control.name for control in CONTROLS.values() if control.flag is None)
        raise InputError(
            f"{where}: [control] {name} can't be changed on an attached server, which isn't ours to restart;"
            f" only the caller's own controls can: {ours}"
        )


def check_trace(trace: TraceChoice, where: str) -> None:
    """Whether the choice of a trace is one.

    Raises:
        InputError: it isn't.
    """
    given = [name for name in ("file", "synthetic", "mix") if getattr(trace, name) is not None]
    if len(given) != 1:
        said = " and ".join(given) if given else "none"
        raise InputError(f"{where}: [trace] give exactly one of file, synthetic, mix; given: {said}")
    if not trace.speedup > 0:
        raise InputError(f"{where}: [trace] speedup must be above 0, not {trace.speedup}")


def check_load(load: LoadShape, where: str) -> None:
    """Whether the load can be applied.

    Raises:
        InputError: it can't; names the field.
    """
    if load.rates is not None and load.concurrency is not None:
        raise InputError(f"{where}: [load] give rates (open loop) or concurrency (closed loop), not both")
    for field in ("rates", "concurrency"):
        ladder = getattr(load, field)
        if ladder is not None and not ladder:
            raise InputError(f"{where}: [load] {field} is empty")
        for step in ladder or []:
            if not step > 0:
                raise InputError(f"{where}: [load] {field} must be above 0, not {step}")
    if load.rates is None and load.concurrency is None and load.arrivals != "trace":
        raise InputError(
            f'{where}: [load] give rates or concurrency, or arrivals = "trace" to keep the trace\'s own times'
        )
    for field in ("requests", "duration_s", "burstiness", "max_in_flight", "queue_timeout_s", "workers"):
        value = getattr(load, field)
        if value is not None and not value > 0:
            raise InputError(f"{where}: [load] {field} must be above 0, not {value}")
    if load.warmup_s < 0:
        raise InputError(f"{where}: [load] warmup_s must not be negative, not {load.warmup_s}")
