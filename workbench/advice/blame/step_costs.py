"""The cost of each part of a step, fitted to the run's own steps.

The form is the step-time model's: t = a + b*P + c*D + d*K + e*Q (see `profiles.StepModel`).
"""

import itertools
from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from workbench.advice.blame.step_trace import Step
from workbench.profiles import StepModel

_FEWEST = 20
"""Steps that a fit needs."""
_BY_TOKENS = StepModel(a=0.0, b=1.0, c=1.0, d=0.0, e=0.0)
"""Without enough steps, time is split in proportion to tokens."""


def features(step: Step) -> tuple[float, float, float, float, float]:
    """Return 1, P, D, K and Q of a step."""
    return (
        1.0,
        float(sum(entry.prefill + entry.recompute for entry in step.entries)),
        float(sum(entry.decode for entry in step.entries)),
        float(sum(entry.context for entry in step.entries if entry.decode)),
        sum(entry.attention for entry in step.entries),
    )


def fit_step_costs(steps: Sequence[Step], seconds: Sequence[float]) -> StepModel:
    """Fit non-negative coefficients to measured steps, on relative errors.

    Args:
        steps: steps with entries.
        seconds: the duration of each.

    Returns:
        The model, in microseconds; shares by tokens if there are too few steps.
    """
    if len(steps) < _FEWEST:
        return _BY_TOKENS
    us = np.maximum(np.asarray(seconds) * 1e6, 1.0)
    columns = np.array([features(step) for step in steps])
    # Normalize the columns for nnls, then undo it.
    scale = np.maximum(np.abs(columns).max(axis=0), 1e-12)
    solved, _ = nnls(columns / scale / us[:, None], np.ones(len(us)))
    a, b, c, d, e = (float(value) for value in solved / scale)
    return StepModel(a=a, b=b, c=c, d=d, e=e)


def idle_between_steps_us(steps: Sequence[Step]) -> float:
    """Return the median time between the end of a step and the next call while requests are there."""
    gaps = [
        max(0.0, following.called - step.ended) * 1e6
        for step, following in itertools.pairwise(steps)
        if step.ended and step.entries and following.entries and (step.waiting or len(step.running) > 1)
    ]
    return float(np.median(gaps)) if gaps else 0.0
