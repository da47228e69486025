"""The plan: which runs an experiment consists of, and in which order.

Repeats are interleaved (A B C, C B A, …), not A A A B B B, so that drift falls on all alike; running back and
forth also saves a restart at each turn.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from workbench.base import Record, Refusal
from workbench.controls import CONTROLS, LIVE_LIMITS, Value
from workbench.experiments.run.events import PlannedRun
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import value_text
from workbench.experiments.spec.validate import MOST_RUNS

RESTART_S = {"embedded": 3.0, "local": 90.0, "ssh": 120.0, "container": 120.0, "attached": 0.0}
"""Seconds that a change of configuration costs; an estimate, replaced by what the first start took."""


class Configuration(Record, frozen=True, kw_only=True):
    """What a server is started with: the baseline, or the baseline with the control at one value."""

    experiment: int
    """Index of the experiment it belongs to; the baseline belongs to the first."""
    control: str | None
    value: Value | None
    controls: dict[str, Value]
    ceilings: dict[str, int] = msgspec.field(default_factory=dict)
    """What the server is launched with where the configuration's own value is set while it runs."""

    def launch_controls(self) -> dict[str, Value]:
        """The controls that the server is started with."""
        return {**server_side(self.controls), **self.ceilings}

    def live_limits(self) -> dict[str, int]:
        """Limits to be set on the running server."""
        return {name: int(self.controls[name]) for name in self.ceilings}

    @property
    def label(self) -> str:
        """`baseline`, or `max_num_seqs = 32`."""
        if self.control is None:
            return "baseline"
        return self.control if self.value is None else f"{self.control} = {value_text(self.value)}"


class Run(Record, frozen=True, kw_only=True):
    """One replay on one configuration at one rate."""

    name: str
    configuration: Configuration
    rate: float | None
    concurrency: int | None
    repeat: int
    """From 1."""

    @property
    def row(self) -> str:
        """The name of its row in the scorecard: its own without the number of the repeat."""
        return self.name.removesuffix(f" #{self.repeat}")


class Plan(Record, frozen=True, kw_only=True):
    """All runs in their order."""

    experiments: list[Experiment]
    runs: list[Run]

    def restarts(self) -> int:
        """How often a server is started; a change of the caller's own controls needs none."""
        changes = zip(self.runs, self.runs[1:], strict=False)
        return 1 + sum(needs_restart(before, after) for before, after in changes)

    def planned_runs(self, restart_s: float | None = None) -> list[PlannedRun]:
        """The runs with the wall seconds each is expected to take."""
        seconds = expected_s(self, self.runs, restart_s=restart_s)
        return [
            PlannedRun(
                run=run.name,
                experiment=self.experiments[run.configuration.experiment].name,
                control=run.configuration.control,
                value=run.configuration.value,
                rate=run.rate,
                concurrency=run.concurrency,
                repeat=run.repeat,
                expected_s=round(cost, 1),
            )
            for run, cost in zip(self.runs, seconds, strict=True)
        ]


def server_side(controls: Mapping[str, Value]) -> dict[str, Value]:
    """The controls that a server is started with; the others are the caller's own."""
    return {name: value for name, value in controls.items() if CONTROLS[name].of_server}


def needs_restart(before: Run | None, after: Run) -> bool:
    """Whether the server of one run can't serve the next."""
    if before is None:
        return True
    return before.configuration.launch_controls() != after.configuration.launch_controls()


def expected_s(
    plan: Plan, runs: Sequence[Run], *, restart_s: float | None = None, before: Run | None = None
) -> list[float]:
    """Wall seconds of each of these runs, its server's start included, after the run `before`."""
    kind = plan.experiments[0].target.kind
    start = RESTART_S[kind] if restart_s is None else restart_s
    found = []
    for run in runs:
        experiment = plan.experiments[run.configuration.experiment]
        found.append(expected_run_s(experiment, run.rate) + (start if needs_restart(before, run) else 0.0))
        before = run
    return found


def expected_run_s(experiment: Experiment, rate: float | None) -> float:
    """Wall seconds of warm-up and schedule; the drain is not known before."""
    load, scale = experiment.load, experiment.target.time_scale
    if load.duration_s is not None:
        length = load.duration_s
    elif load.requests is not None and rate:
        length = load.requests / rate
    else:
        length = 60.0
    return (load.warmup_s + length) / scale


def make_plan(experiments: Sequence[Experiment]) -> Plan:
    """The runs of one experiment, or of several that share their baseline.

    Raises:
        InputError: several experiments that differ in more than their control; names what differs.
    """
    first = experiments[0]
    for other in experiments[1:]:
        differing = differences(first.shared_settings(), other.shared_settings())
        if differing:
            raise Refusal("experiments.unlike", first=first.name, other=other.name, differing=differing)
    configurations = _configurations(experiments)
    order = list(range(len(configurations)))
    runs: list[Run] = []
    repeat = first.repeat
    if repeat.order == "sequential":
        visits = [(index, number) for index in order for number in range(1, repeat.n + 1)]
    else:
        tail = order[1:]
        random.Random(repeat.seed).shuffle(tail)  # noqa: S311 - an order, not a secret
        order = [*order[:1], *(tail if repeat.n > 1 else order[1:])]
        visits = []
        for number in range(1, repeat.n + 1):
            visits += [(index, number) for index in (order if number % 2 else reversed(order))]
    for index, number in visits:
        runs += _ladder(configurations[index], first, number)
    if len(runs) > MOST_RUNS:
        raise Refusal("experiments.too_many_runs", runs=len(runs), most=MOST_RUNS)
    return Plan(experiments=list(experiments), runs=runs)


def _configurations(experiments: Sequence[Experiment]) -> list[Configuration]:
    first = experiments[0]
    if first.kind == "switchback":
        return [_switched(index, experiment) for index, experiment in enumerate(experiments)]
    found = [Configuration(experiment=0, control=None, value=None, controls=first.configuration(None))]
    for index, experiment in enumerate(experiments):
        for value in experiment.tested.values:
            candidate = Configuration(
                experiment=index,
                control=experiment.tested.name,
                value=value,
                controls=experiment.configuration(value),
            )
            if all(candidate.controls != known.controls for known in found):
                found.append(candidate)
        for control, value, controls in experiment.two_by_two():
            found.append(Configuration(experiment=index, control=control, value=value, controls=controls))
    ceilings = _ceilings(experiments, found)
    return [msgspec.structs.replace(each, ceilings=ceilings) for each in found]


def _ceilings(experiments: Sequence[Experiment], found: Sequence[Configuration]) -> dict[str, int]:
    """The largest value of each limit under test that a running server takes, where all state one.

    Such a limit needs no restart, and the server, launched with the largest, allots the same for all values.
    """
    if not experiments[0].target.live_limits:
        return {}
    seconds = [each.second.name for each in experiments if each.second is not None]
    ceilings = {}
    for name in dict.fromkeys([each.tested.name for each in experiments] + seconds):
        values = [each.controls.get(name) for each in found]
        stated = [value for value in values if isinstance(value, int) and value > 0]
        if name in LIVE_LIMITS and len(stated) == len(values):
            ceilings[name] = max(stated)
    return ceilings


def _switched(index: int, experiment: Experiment) -> Configuration:
    """Both values in one run: the server starts with the larger, for what it allots at the start."""
    name = experiment.tested.name
    before, after = experiment.baseline[name], experiment.tested.values[0]
    return Configuration(
        experiment=index,
        control=name,
        value=f"{value_text(before)} ⇄ {value_text(after)}",
        controls={**experiment.baseline, name: max(int(before), int(after))},
    )


def _ladder(configuration: Configuration, experiment: Experiment, repeat: int) -> list[Run]:
    load = experiment.load
    steps: list[tuple[float | None, int | None]] = [(None, None)]
    rates = load.offered_rates()
    if rates is not None:
        steps = [(rate, None) for rate in rates]
    elif load.concurrency is not None:
        steps = [(None, number) for number in load.concurrency]
    return [make_run(experiment, configuration, repeat, rate, concurrency) for rate, concurrency in steps]


def make_run(
    experiment: Experiment,
    configuration: Configuration,
    repeat: int,
    rate: float | None,
    concurrency: int | None = None,
) -> Run:
    """A run under the name that it has in every plan."""
    suffix = f" #{repeat}" if experiment.repeat.n > 1 else ""
    pace = f" @ {rate:g} req/s" if rate is not None else f" @ {concurrency} at once" if concurrency else ""
    name = f"{configuration.label}{pace}{suffix}"
    return Run(name=name, configuration=configuration, rate=rate, concurrency=concurrency, repeat=repeat)


def differences(first: dict[str, Any], other: dict[str, Any], path: str = "") -> list[str]:
    """The paths at which two files' contents differ."""
    found = []
    for key in sorted(first.keys() | other.keys()):
        mine, theirs = first.get(key), other.get(key)
        place = f"{path}{key}"
        if isinstance(mine, dict) and isinstance(theirs, dict):
            found += differences(mine, theirs, f"{place}.")
        elif mine != theirs:
            found.append(place)
    return found
