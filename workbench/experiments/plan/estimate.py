"""What a plan will take before it is begun: runs, restarts, time, GPU-hours, money, disk."""

import math
from collections.abc import Callable, Sequence
from functools import cache

from workbench.advice import Load, Saturation, saturation
from workbench.base import Record, now
from workbench.experiments.plan.plan import Plan, Run, expected_run_s, expected_s
from workbench.experiments.plan.run_queue import Agenda
from workbench.experiments.plan.workload import make_schedule
from workbench.experiments.run.command_flags import flag_values
from workbench.experiments.spec.experiment import Experiment
from workbench.profiles import load_profile
from workbench.servers import TargetSpec
from workbench.telemetry import has_gpu
from workbench.traces import Trace, ideal_hit_tokens

# Measured: a stored request takes 190 bytes and 6 for each event of its stream, a scrape 120, a run 16 KiB.
_REQUEST_BYTES, _EVENT_BYTES, _SAMPLE_BYTES, _RUN_BYTES, _FILE_BYTES = 190, 6, 120, 16_384, 65_536
_SAMPLES_PER_S = 4
_ON_THIS_MACHINE = ("local", "container")
_DEGREES = ("--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size")


class PlanCosts(Record, frozen=True, kw_only=True):
    """An estimate; an adaptive ladder may take less."""

    runs: int
    restarts: int
    wall_s: float
    gpus: int | None
    """0 for the embedded engine and on a machine without a GPU; None: an attached server's aren't known."""
    gpu_hours: float | None
    requests: int
    disk_bytes: int
    money: float | None
    """None: no price is stated, or it is simulated here, which costs nothing."""
    currency: str | None


_gpu_here = cache(has_gpu)


def plan_costs(plan: Plan, trace: Trace, *, gpu_here: Callable[[], bool] = _gpu_here) -> PlanCosts:
    """Return the estimate for a plan that replays `trace`; `gpu_here`: whether this machine has a GPU."""
    wall = sum(described.expected_s for described in plan.described())
    first = plan.experiments[0]
    gpus = gpu_count(first.target, gpu_here)
    requests, events = _requests(plan, trace)
    cost = None if first.target.kind == "embedded" else first.cost
    return PlanCosts(
        runs=len(plan.runs),
        restarts=plan.restarts(),
        wall_s=round(wall, 1),
        gpus=gpus,
        gpu_hours=None if gpus is None else round(gpus * wall / 3600, 3),
        requests=requests,
        disk_bytes=round(
            _FILE_BYTES
            + len(plan.runs) * _RUN_BYTES
            + requests * _REQUEST_BYTES
            + events * _EVENT_BYTES
            + wall * _SAMPLES_PER_S * _SAMPLE_BYTES
        ),
        money=None if cost is None else round(cost.per_hour * wall / 3600, 2),
        currency=None if cost is None else cost.currency,
    )


def gpu_count(target: TargetSpec, gpu_here: Callable[[], bool]) -> int | None:
    """GPUs that the target occupies while it serves, by the degrees of parallelism of its command line."""
    if target.kind == "embedded" or (target.kind in _ON_THIS_MACHINE and not gpu_here()):
        return 0
    return None if target.kind == "attached" else _product(target.args)


def _product(words: Sequence[str]) -> int:
    asked = flag_values(words)
    degrees = [asked.get(flag, "") for flag in _DEGREES]
    return math.prod(int(text) for text in degrees if text.isdigit() and int(text) > 0)


def _requests(plan: Plan, trace: Trace) -> tuple[int, float]:
    """Requests of the whole plan and the events that stream back; a closed loop's by one pass a run."""
    per_step: dict[tuple[float | None, int | None], int] = {}
    mean_output = float(trace.output_length.mean()) if len(trace) else 0.0
    total = 0
    for run in plan.runs:
        experiment = plan.experiments[run.configuration.experiment]
        step = (run.rate, run.concurrency)
        if step not in per_step:
            schedule = make_schedule(
                trace, experiment.trace, experiment.load, run.rate, run.concurrency, experiment.burst
            )
            per_step[step] = len(schedule)
        total += per_step[step]
    return total, total * mean_output


# How far a plan is and how long it will go on, in wall seconds; estimates are corrected by what was seen.


class Pace:
    """Time left of a plan, from what is left to run and what starts and drains took so far."""

    def __init__(self, plan: Plan, agenda: Agenda) -> None:
        self._plan = plan
        self._agenda = agenda
        self._run_started = now()
        self._starts: list[float] = []
        self._over: list[float] = []

    def server_took(self, seconds: float) -> None:
        """A server start was measured; later ones are expected to take as long."""
        self._starts.append(seconds)

    def run_begins(self) -> None:
        """A run starts its load."""
        self._run_started = now()

    def run_ended(self, run: Run) -> None:
        """The time beyond the schedule (drain, computing) is expected of later runs too."""
        expected = expected_run_s(self._plan.experiments[run.configuration.experiment], run.rate)
        self._over.append(max(0.0, now() - self._run_started - expected))

    def plan_left(self, run_left: float) -> float:
        """Of the whole plan, with `run_left` of the run that goes on."""
        restart = sum(self._starts) / len(self._starts) if self._starts else None
        left = self._agenda.left
        rest = expected_s(self._plan, left, restart_s=restart, before=self._agenda.last)
        over = sum(self._over) / len(self._over) if self._over else 0.0
        return run_left + sum(rest) + over * (len(left) + 1)


# How long a run must be to say something: near capacity a queue is a slow random walk.
#
# Its relaxation time is taken as that of one server with the whole capacity C: 1 / (C (1 - sqrt(rho))^2)
# for exponential gaps and services (Cohen, The Single Server Queue), times the mean of both squared
# coefficients of variation.

NEAR = 0.8
"""From this share of capacity on a run's length matters."""
RELAXATIONS = 10.0
"""A run of ten relaxation times holds about ten independent glimpses of its queue."""
MOST_SCV = 25.0


def relaxation_s(rate: float, capacity: float, arrivals_scv: float = 1.0, services_scv: float = 1.0) -> float:
    """Seconds in which a queue at `rate` forgets where it was; infinite from `capacity` on."""
    load = rate / capacity
    if load >= 1:
        return math.inf
    return (arrivals_scv + services_scv) / 2 / (capacity * (1 - math.sqrt(load)) ** 2)


def minutes(number: float) -> str:
    """Minutes of measuring, for people."""
    return f"{number:.0f} min" if number >= 1 else f"{max(1.0, number * 60):.0f} s"


def lengths_planned(plan: Plan, trace: Trace, capacity: float) -> list[str]:
    """A sentence for each rate near the baseline's `capacity` (requests/s) for which runs are too short."""
    load, repeats = plan.experiments[0].load, plan.experiments[0].repeat.n
    outputs = trace.output_length.astype(float)
    services = min(float(outputs.var() / outputs.mean() ** 2), MOST_SCV) if len(outputs) else 0.0
    found = []
    for rate in sorted({run.rate for run in plan.runs if run.rate is not None}):
        length = load.duration_s or (load.requests / rate if load.requests else None)
        if length is None or not NEAR * capacity <= rate < capacity:
            continue
        forgets = relaxation_s(rate, capacity, 1.0, services)
        if length * repeats < RELAXATIONS * forgets:
            share, each = f"{100 * rate / capacity:.0f} %", minutes(length / 60)
            runs = f"a run of {each}" if repeats == 1 else f"{repeats} repeats of {each}"
            found.append(
                f"{rate:g} req/s is {share} of a capacity of {capacity:.3g} req/s, where a queue forgets in"
                f" about {minutes(forgets / 60)}: {runs} would show luck;"
                f" {minutes(RELAXATIONS * forgets / 60)}, in one run or in repeats, would show more."
            )
    return found


# At which rate an experiment's load will saturate its baseline, before anything is run.

_MOST_CACHED = 0.99
"""A prompt that is all cached would cost nothing."""


def foretold(experiment: Experiment, trace: Trace) -> Saturation | None:
    """By the embedded engine's profile; None of a real server, whose step times aren't known.

    Raises:
        InputError: a request that the baseline's KV pool can't hold.
    """
    if experiment.target.kind != "embedded" or not experiment.target.profile:
        return None
    hits = ideal_hit_tokens(trace)
    cached = 0.0 if hits is None else float(hits.sum() / trace.input_length.sum())
    if experiment.baseline.get("enable_prefix_caching") is False:
        cached = 0.0
    load = Load(
        input_tokens=float(trace.input_length.mean()),
        output_tokens=float(trace.output_length.mean()),
        cached_share=min(cached, _MOST_CACHED),
    )
    return saturation(load, load_profile(experiment.target.profile), experiment.baseline)
