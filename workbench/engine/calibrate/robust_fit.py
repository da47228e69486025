"""Robust fit of the step-time model to steps of any kind, such as those of a run's own step record.

Non-negative least squares on relative errors, reweighted by Huber's rule, so that a paused machine doesn't
shift the coefficients. The ratios of measured to modelled times are kept: a simulation draws from them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.base import Refusal
from workbench.engine.calibrate.step_rows import Kind, Row
from workbench.profiles import StepModel

Floats = NDArray[np.float64]
_HUBER = 1.345
"""Residuals beyond this multiple of their spread weigh less (Huber's usual value)."""
_ROUNDS = 12
_FEWEST = 5
_KINDS: tuple[Kind, ...] = ("decode", "prefill", "mixed")


@dataclass(frozen=True, slots=True)
class StepFit:
    """A step model, and how measured steps differ from it."""

    model: StepModel
    ratios: dict[Kind, list[float]]
    """Measured over modelled time by kind of step, in the order of the rows."""
    error_pct: float
    """Mean absolute relative residual."""


def fit_rows(rows: Sequence[Row]) -> StepFit:
    """Fit a model to single steps or sums of steps.

    Raises:
        Refusal: there are too few rows.
    """
    rows = [row for row in rows if row.us > 0]
    if len(rows) < _FEWEST:
        raise Refusal("engine.too_few_steps", steps=len(rows), least=_FEWEST)
    table = np.array([(row.steps, row.P, row.D, row.K, row.Q) for row in rows], dtype=np.float64)
    us = np.array([row.us for row in rows])
    model = StepModel(*robust_nnls(table / us[:, None], np.ones(len(us))))
    modelled = np.maximum(table @ np.array([model.a, model.b, model.c, model.d, model.e]), 1e-3)
    ratios: dict[Kind, list[float]] = {kind: [] for kind in _KINDS}
    for row, ratio in zip(rows, us / modelled, strict=True):
        ratios[row.kind].append(float(ratio))
    return StepFit(model, ratios, 100 * float(np.abs(modelled / us - 1).mean()))


def robust_nnls(matrix: Floats, target: Floats) -> list[float]:
    """Return non-negative x with matrix · x near target, outliers weighing less.

    Args:
        matrix: shape (rows, columns); all rows have one unit.
        target: shape (rows,).
    """
    scale = np.abs(matrix).max(axis=0)
    scale[scale == 0.0] = 1.0
    matrix = matrix / scale
    weights = np.ones(len(target))
    solved = np.zeros(matrix.shape[1])
    for _ in range(_ROUNDS):
        before, solved = solved, _nnls(matrix * weights[:, None], target * weights)
        residuals = np.abs(matrix @ solved - target)
        spread = 1.4826 * float(np.median(residuals))
        if spread <= 0.0 or np.allclose(before, solved, rtol=1e-6):
            break
        weights = np.sqrt(np.minimum(1.0, _HUBER * spread / np.maximum(residuals, 1e-12)))
    return [float(value) for value in solved / scale]


def _nnls(matrix: Floats, target: Floats) -> Floats:
    """Solve on the small triangle of a QR decomposition, which has the same solution."""
    from scipy.optimize import nnls  # noqa: PLC0415  # slow to import, and only a fit needs it

    if len(target) <= matrix.shape[1]:
        return np.asarray(nnls(matrix, target)[0])
    q, r = np.linalg.qr(matrix)
    return np.asarray(nnls(r, q.T @ target)[0])
