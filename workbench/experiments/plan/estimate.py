"""Estimates of a plan: runs, restarts, time, GPU-hours, money, disk, and how long its runs should be."""

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from workbench.advice import Load, Saturation, saturation
from workbench.base import Message, Record, Value, message, now
from workbench.experiments.plan.plan import RESTART_S, Plan, Run, expected_run_s, expected_s
from workbench.experiments.plan.run_queue import RunQueue
from workbench.experiments.plan.workload import make_schedule
from workbench.experiments.run.command_flags import flag_values
from workbench.experiments.spec.experiment import Experiment
from workbench.profiles import load_profile
from workbench.results import sample_floor
from workbench.servers import TargetSpec
from workbench.telemetry import has_gpu
from workbench.traces import Schedule, Trace, ideal_hit_tokens

# Measured sizes in a bench file.
_REQUEST_BYTES, _EVENT_BYTES, _SAMPLE_BYTES, _RUN_BYTES, _FILE_BYTES = 190, 6, 120, 16_384, 65_536
_SAMPLES_PER_S = 4
_ON_THIS_MACHINE = ("local", "container")
_DEGREES = ("--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size")


class PlanEstimate(Record, frozen=True, kw_only=True):
    """An estimate; an adaptive ladder may take less."""

    runs: int
    restarts: int
    wall_s: float
    gpus: int | None
    """0 for the embedded engine and on a machine without a GPU; None for an attached server: unknown."""
    gpu_hours: float | None
    requests: int
    disk_bytes: int
    money: float | None
    """None without a price, and for the embedded engine, which costs nothing."""
    currency: str | None


_gpu_here = cache(has_gpu)


def estimate_plan(plan: Plan, trace: Trace, *, gpu_here: Callable[[], bool] = _gpu_here) -> PlanEstimate:
    """Estimate a plan that replays `trace`; `gpu_here` returns True if this machine has a GPU."""
    wall = sum(described.expected_s for described in plan.planned_runs())
    first = plan.experiments[0]
    gpus = gpu_count(first.target, gpu_here)
    requests, events = _requests(plan, trace)
    cost = None if first.target.kind == "embedded" else first.cost
    return PlanEstimate(
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
    """Return the GPUs that the target uses, from the parallelism flags of its command line."""
    if target.kind == "embedded" or (target.kind in _ON_THIS_MACHINE and not gpu_here()):
        return 0
    return None if target.kind == "attached" else _product(target.args)


def _product(words: Sequence[str]) -> int:
    asked = flag_values(words)
    degrees = [asked.get(flag, "") for flag in _DEGREES]
    return math.prod(int(text) for text in degrees if text.isdigit() and int(text) > 0)


def _requests(plan: Plan, trace: Trace) -> tuple[int, float]:
    """Return the plan's requests and stream events; a closed loop counts one pass of the trace a run."""
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


# Time left of a running plan, in wall seconds; measured times replace the estimates.


class TimeLeft:
    """Time left of a plan, from the runs left and the measured starts and drains."""

    def __init__(self, plan: Plan, run_queue: RunQueue) -> None:
        self._plan = plan
        self._run_queue = run_queue
        self._run_started = now()
        self._starts: list[float] = []
        self._over: list[float] = []

    def server_took(self, seconds: float) -> None:
        """Record the time of a server start; later starts are expected to take as long."""
        self._starts.append(seconds)

    def run_begins(self) -> None:
        """Record that a run starts its load."""
        self._run_started = now()

    def run_ended(self, run: Run) -> None:
        """Record the run's time beyond its schedule (drain, computing), which later runs may take too."""
        expected = expected_run_s(self._plan.experiments[run.configuration.experiment], run.rate)
        self._over.append(max(0.0, now() - self._run_started - expected))

    def before_load(self, run: Run, *, starts: bool) -> float:
        """Return the seconds left of the plan before the load of `run`; `starts`: with its server's start."""
        experiment = self._plan.experiments[run.configuration.experiment]
        known = sum(self._starts) / len(self._starts) if self._starts else RESTART_S[experiment.target.kind]
        return self.plan_left((known if starts else 0.0) + expected_run_s(experiment, run.rate))

    def plan_left(self, run_left: float) -> float:
        """Return the seconds left of the plan; `run_left` are those of the current run."""
        restart = sum(self._starts) / len(self._starts) if self._starts else None
        left = self._run_queue.left
        rest = expected_s(self._plan, left, restart_s=restart, before=self._run_queue.last)
        over = sum(self._over) / len(self._over) if self._over else 0.0
        return run_left + sum(rest) + over * (len(left) + 1)


# The length that a run needs: near capacity a queue is a slow random walk.
#
# Its relaxation time is that of one server with the whole capacity C: 1 / (C (1 - sqrt(rho))^2) for
# exponential gaps and services (Cohen, The Single Server Queue), times the mean of both squared coefficients
# of variation.

NEAR = 0.8
"""Share of capacity from which a run's length matters."""
RELAXATIONS = 10.0
"""Relaxation times that a run should last; ten give about ten independent samples of the queue."""
MOST_SCV = 25.0
"""Largest squared coefficient of variation of service times that is used."""


def relaxation_s(rate: float, capacity: float, arrivals_scv: float = 1.0, services_scv: float = 1.0) -> float:
    """Return the queue's relaxation time at `rate` in seconds; infinite from `capacity` on."""
    load = rate / capacity
    if load >= 1:
        return math.inf
    return (arrivals_scv + services_scv) / 2 / (capacity * (1 - math.sqrt(load)) ** 2)


def minutes_text(number: float) -> str:
    """Return a time given in minutes as text, in minutes or seconds."""
    return f"{number:.0f} min" if number >= 1 else f"{max(1.0, number * 60):.0f} s"


def too_short_runs(plan: Plan, trace: Trace, capacity: float) -> list[Message]:
    """Return a note on each rate near the baseline's `capacity` (requests/s) whose runs are too short."""
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
            each = minutes_text(length / 60)
            runs = (
                message("experiments.one_run_of", length=each)
                if repeats == 1
                else message("experiments.repeats_of", count=repeats, length=each)
            )
            found.append(
                message(
                    "experiments.runs_too_short",
                    rate=rate,
                    percent=100 * rate / capacity,
                    capacity=capacity,
                    relaxation=minutes_text(forgets / 60),
                    runs=runs,
                    enough=minutes_text(RELAXATIONS * forgets / 60),
                )
            )
    return found


# The rate at which an experiment's load will saturate its baseline.

_MOST_CACHED = 0.99
"""Largest cached share of prompts; a fully cached prompt would cost nothing."""


def predict_saturation(experiment: Experiment, trace: Trace) -> Saturation | None:
    """Predict it from the embedded engine's profile; None for a real server, whose step times are unknown.

    Raises:
        Refusal: a request exceeds the baseline's KV pool.
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


# Runs with too few requests for their percentiles.

_P95, _P99 = sample_floor(0.95), sample_floor(0.99)


def too_few_requests(plan: Plan, trace: Trace) -> list[Message]:
    """Return the percentiles that runs of each load step can't give, and the number of requests needed.

    A p95 needs 72 requests, a p99 368. A closed loop of a given duration sends an unknown number.
    """
    first = plan.experiments[0]
    found: list[Message] = []
    for rate, concurrency in {(run.rate, run.concurrency): None for run in plan.runs}:
        schedule = make_schedule(trace, first.trace, first.load, rate, concurrency, first.burst)
        if concurrency is not None and schedule.requests is None:
            continue
        load = _load_step(rate, concurrency)
        length_s = len(schedule) / rate if rate else schedule.length_s
        found += _of_all(len(schedule), load, length_s)
        found += _of_classes(plan, trace, schedule, load)
    return found


def _load_step(rate: float | None, concurrency: int | None) -> Message:
    if rate is not None:
        return message("experiments.at_rate", rate=rate)
    if concurrency is not None:
        return message("experiments.at_once", requests=concurrency)
    return message("experiments.at_own_times")


def _of_all(requests: int, load: Message, length_s: float | None) -> list[Message]:
    if requests >= _P99 or not requests:
        return []
    if length_s is None:
        kind = "experiments.few_for_p99" if requests >= _P95 else "experiments.few_for_p95"
        return [Message(kind=kind, values={"pace": load, "requests": requests, "p95": _P95, "p99": _P99})]
    p95_s, p99_s = (math.ceil(length_s * floor / requests) for floor in (_P95, _P99))
    values: dict[str, Value] = {"pace": load, "requests": requests, "p95": _P95, "p99": _P99}
    values |= {"p95_s": p95_s, "p99_s": p99_s}
    kind = "experiments.short_for_p99" if requests >= _P95 else "experiments.short_for_p95"
    return [Message(kind=kind, values=values)]


def _of_classes(plan: Plan, trace: Trace, schedule: Schedule, load: Message) -> list[Message]:
    """Return the classes with latency objectives, which are p95, and too few requests."""
    codes, names = trace.classes.codes, list(trace.classes.names)
    rows = np.asarray(schedule.rows)
    found = []
    for name in _judged_classes(plan.experiments):
        if name not in names:
            continue
        requests = int((codes[rows] == names.index(name)).sum())
        if requests < _P95:
            found.append(
                message("experiments.class_too_small", pace=load, name=name, requests=requests, p95=_P95)
            )
    return found


def _judged_classes(experiments: list[Experiment]) -> list[str]:
    return list(dict.fromkeys(name for each in experiments for name in each.objectives.classes))
