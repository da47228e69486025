"""What a plan will take before it is begun: runs, restarts, time, GPU-hours, money, disk."""

import math
from collections.abc import Callable, Sequence
from functools import cache

from workbench.base import Record
from workbench.experiments.command_words import flag_values
from workbench.experiments.plan import Plan
from workbench.experiments.workload import make_schedule
from workbench.servers import TargetSpec
from workbench.telemetry import has_gpu
from workbench.traces import Trace

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
