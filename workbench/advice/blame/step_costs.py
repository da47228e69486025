"""The cost of each part of a step, fitted to the run's own steps.

The form is the step-time model's: t = a + b*P + c*D + d*K + e*Q (see `profiles.StepModel`).
"""

import numpy as np

from workbench.advice.blame.step_index import DECODE, Floats, StepIndex, sum_at
from workbench.profiles import StepModel

_FEWEST = 20
"""Steps that a fit needs."""
_BY_TOKENS = StepModel(a=0.0, b=1.0, c=1.0, d=0.0, e=0.0)
"""Without enough steps, time is split in proportion to tokens."""


def features(index: StepIndex) -> Floats:
    """Return 1, P, D, K and Q of each step; shape (n, 5)."""
    steps, entries = index.steps, index.entries
    decodes = entries.kind == DECODE
    tokens = entries.tokens.astype(np.float64)
    attention = np.where(decodes, 0.0, tokens * (index.context - tokens / 2))
    return np.column_stack(
        (
            np.ones(len(steps)),
            steps.prefill + steps.recompute,
            steps.decode,
            sum_at(index.entry_place, np.where(decodes, index.context, 0), len(steps)),
            sum_at(index.entry_place, attention, len(steps)),
        )
    )


def measured_steps(index: StepIndex) -> tuple[Floats, Floats]:
    """Return the features of the steps that computed something and ended, (n, 5), and their microseconds."""
    steps = index.steps
    before = np.concatenate([[0.0], np.fmax.accumulate(np.nan_to_num(steps.ended))[:-1]])
    measured = np.isfinite(steps.ended) & (np.diff(steps.first_entry) > 0)
    us = np.maximum((steps.ended - np.maximum(before, steps.called))[measured] * 1e6, 1.0)
    return features(index)[measured], us


def fit_step_costs(index: StepIndex) -> StepModel:
    """Fit non-negative coefficients to the steps' measured durations, on relative errors.

    Returns:
        The model, in microseconds; shares by tokens if there are too few steps.
    """
    from scipy.optimize import nnls  # noqa: PLC0415  # slow to import, and only a fit needs it

    columns, us = measured_steps(index)
    if len(us) < _FEWEST:
        return _BY_TOKENS
    # Normalize the columns for nnls, then undo it.
    scale = np.maximum(np.abs(columns).max(axis=0), 1e-12)
    solved, _ = nnls(columns / scale / us[:, None], np.ones(len(us)))
    a, b, c, d, e = (float(value) for value in solved / scale)
    return StepModel(a=a, b=b, c=c, d=d, e=e)


def idle_between_steps_us(index: StepIndex) -> float:
    """Return the median time between the end of a step and the next call while requests are there."""
    steps = index.steps
    busy = np.diff(steps.first_entry) > 0
    gaps = np.maximum(0.0, steps.called[1:] - steps.ended[:-1]) * 1e6
    others = (steps.waiting > 0) | (steps.running > 1)
    counted = gaps[busy[:-1] & busy[1:] & others[:-1] & np.isfinite(steps.ended[:-1])]
    return float(np.median(counted)) if len(counted) else 0.0
