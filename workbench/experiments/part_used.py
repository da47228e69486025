"""A bounded run sends the first rows of a trace file only: that, and how their mix differs from the whole."""

from collections.abc import Iterator

import numpy as np

from workbench.experiments.channel import Emit
from workbench.experiments.events import Message
from workbench.experiments.experiment import Experiment
from workbench.experiments.plan import Plan, Run
from workbench.experiments.workload import make_schedule
from workbench.traces import Schedule, Trace

PART = "trace_part"
"""Name under which it is stored with a run."""
_LENGTH_DIFFERS, _SHARE_DIFFERS = 0.1, 0.05
_MOST_CLASSES = 3


def part_used(trace: Trace, schedule: Schedule) -> str | None:
    """`uses the first 100 of 1,500 requests`, and what of them is unlike the whole; None: all are used."""
    if schedule.concurrency is not None and schedule.requests is None:
        return None  # How far a closed loop comes in its time nobody knows before.
    used = np.unique(schedule.rows)
    if not len(used) or len(used) >= len(trace):
        return None
    said = f"uses the first {len(used):,} of {len(trace):,} requests of the trace"
    unlike = list(_unlike(trace, used))
    return f"{said}: {', '.join(unlike)}" if unlike else f"{said}, of a like mix"


def _unlike(trace: Trace, used: np.ndarray) -> Iterator[str]:
    """Mean lengths that differ by a tenth, shares of classes by five of a hundred; the largest few."""
    for name, lengths in (("prompts", trace.input_length), ("answers", trace.output_length)):
        part, whole = float(lengths[used].mean()), float(lengths.mean())
        if abs(part - whole) > _LENGTH_DIFFERS * max(whole, 1.0):
            yield f"{name} of {part:,.0f} tokens on average, {whole:,.0f} in the whole"
    codes, names = trace.classes.codes, trace.classes.names
    shares = [
        (float((codes[used] == code).mean()), float((codes == code).mean()), name)
        for code, name in enumerate(names)
    ]
    shares.sort(key=lambda each: -abs(each[0] - each[1]))
    for part, whole, name in shares[:_MOST_CLASSES]:
        if abs(part - whole) > _SHARE_DIFFERS:
            yield f"{100 * part:.0f} % of class {name}, {100 * whole:.0f} % in the whole"


def say_part(
    experiment: Experiment, run: Run, trace: Trace, schedule: Schedule, emit: Emit
) -> dict[str, str]:
    """It as a fact of the run; told once a rate. A generated trace has as many rows as it needs."""
    part = part_used(trace, schedule) if experiment.trace.file is not None else None
    if part is None:
        return {}
    if run.configuration.control is None and run.repeat == 1:
        emit(Message(level="info", text=f"{run.name} {part}"))
    return {PART: part}


def parts_of(plan: Plan, trace: Trace) -> list[str]:
    """The same of a plan that hasn't begun: a sentence for each rate at which a part is used."""
    first = plan.experiments[0]
    if first.trace.file is None:
        return []
    found = []
    for rate, concurrency in {(run.rate, run.concurrency): None for run in plan.runs}:
        schedule = make_schedule(trace, first.trace, first.load, rate, concurrency, first.burst)
        part = part_used(trace, schedule)
        pace = f"at {rate:g} req/s " if rate is not None else ""
        found += [] if part is None else [f"{pace}{part}"]
    return found
