"""How long a run must be to say something: near capacity a queue is a slow random walk.

Its relaxation time is taken as that of one server with the whole capacity C: 1 / (C (1 - sqrt(rho))^2) for
exponential gaps and services (Cohen, The Single Server Queue), times the mean of both squared coefficients of
variation.
"""

import math

from workbench.experiments.plan import Plan
from workbench.traces import Trace

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
