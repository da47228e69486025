"""The plan: the runs of an experiment in their order.

Repeats are interleaved (A B C, C B A, …), not A A A B B B, so that drift affects all configurations equally.
Running back and forth also saves a restart at each turn.
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
"""Estimated seconds of a server start; the first measured start replaces it."""


class Configuration(Record, frozen=True, kw_only=True):
    """Controls of a server: the baseline's, or the baseline's with one changed."""

    experiment: int
    """Index of its experiment; the baseline belongs to the first."""
    control: str | None
    value: Value | None
    controls: dict[str, Value]
    ceilings: dict[str, int] = msgspec.field(default_factory=dict)
    """Launch values of limits whose own value is set while the server runs."""

    def launch_controls(self) -> dict[str, Value]:
        """Return the controls that the server is started with."""
        return {**server_side(self.controls), **self.ceilings}

    def live_limits(self) -> dict[str, int]:
        """Return the limits to set on the running server."""
        return {name: int(self.controls[name]) for name in self.ceilings}

    @property
    def label(self) -> str:
        """`baseline`, or `max_num_seqs = 32`."""
        if self.control is None:
            return "baseline"
        return self.control if self.value is None else f"{self.control} = {value_text(self.value)}"


class Run(Record, frozen=True, kw_only=True):
    """One replay of the trace on one configuration at one rate."""

    name: str
    configuration: Configuration
    rate: float | None
    concurrency: int | None
    repeat: int
    """Number of the repeat, from 1."""

    @property
    def row(self) -> str:
        """Name of its row in the scorecard: its own without the repeat."""
        return self.name.removesuffix(f" #{self.repeat}")


class Plan(Record, frozen=True, kw_only=True):
    """All runs of the experiments, in their order."""

    experiments: list[Experiment]
    runs: list[Run]

    def restarts(self) -> int:
        """Return the number of server starts; the caller's own controls need none."""
        changes = zip(self.runs, self.runs[1:], strict=False)
        return 1 + sum(needs_restart(before, after) for before, after in changes)

    def planned_runs(self, restart_s: float | None = None) -> list[PlannedRun]:
        """Return the runs with their expected wall seconds."""
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
    """Return the controls of the server, without the caller's own."""
    return {name: value for name, value in controls.items() if CONTROLS[name].of_server}


def needs_restart(before: Run | None, after: Run) -> bool:
    """Return True if the next run needs another server."""
    if before is None:
        return True
    return before.configuration.launch_controls() != after.configuration.launch_controls()


def expected_s(
    plan: Plan, runs: Sequence[Run], *, restart_s: float | None = None, before: Run | None = None
) -> list[float]:
    """Return the expected wall seconds of each run, with its server start, after the run `before`."""
    kind = plan.experiments[0].target.kind
    start = RESTART_S[kind] if restart_s is None else restart_s
    found = []
    for run in runs:
        experiment = plan.experiments[run.configuration.experiment]
        found.append(expected_run_s(experiment, run.rate) + (start if needs_restart(before, run) else 0.0))
        before = run
    return found


def expected_run_s(experiment: Experiment, rate: float | None) -> float:
    """Return the wall seconds of warm-up and schedule, without the unknown drain."""
    load, scale = experiment.load, experiment.target.time_scale
    if load.duration_s is not None:
        length = load.duration_s
    elif load.requests is not None and rate:
        length = load.requests / rate
    else:
        length = 60.0
    return (load.warmup_s + length) / scale


def make_plan(experiments: Sequence[Experiment]) -> Plan:
    """Make the plan of one experiment, or of several with a common baseline.

    Raises:
        Refusal: the experiments differ in more than their control; names the differences.
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
    """Return the largest value of each live limit under test that every configuration sets.

    Such a limit needs no restart: the server starts with the largest and allocates the same for all values.
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
    """Return the configuration of a switchback, which starts the server with the larger value."""
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
    """Make a run; its name is the same in every plan."""
    suffix = f" #{repeat}" if experiment.repeat.n > 1 else ""
    pace = f" @ {rate:g} req/s" if rate is not None else f" @ {concurrency} at once" if concurrency else ""
    name = f"{configuration.label}{pace}{suffix}"
    return Run(name=name, configuration=configuration, rate=rate, concurrency=concurrency, repeat=repeat)


def differences(first: dict[str, Any], other: dict[str, Any], path: str = "") -> list[str]:
    """Return the paths of the keys that differ."""
    found = []
    for key in sorted(first.keys() | other.keys()):
        mine, theirs = first.get(key), other.get(key)
        place = f"{path}{key}"
        if isinstance(mine, dict) and isinstance(theirs, dict):
            found += differences(mine, theirs, f"{place}.")
        elif mine != theirs:
            found.append(place)
    return found
