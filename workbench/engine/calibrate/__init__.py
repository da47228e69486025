"""Fitting a step-time model to a server: its steps as seen, the regression, the error on unseen load."""

from workbench.engine.calibrate.fit import Fit, Seen, fit_steps
from workbench.engine.calibrate.logged import Pool, logged_rows
from workbench.engine.calibrate.prediction import Comparison, Prediction, predict
from workbench.engine.calibrate.recorded import recorded_rows
from workbench.engine.calibrate.rows import Row
from workbench.engine.calibrate.streams import decode_rows, prompt_rows
from workbench.engine.calibrate.under_load import fit_under_load

__all__ = [
    "Comparison",
    "Fit",
    "Pool",
    "Prediction",
    "Row",
    "Seen",
    "decode_rows",
    "fit_steps",
    "fit_under_load",
    "logged_rows",
    "predict",
    "prompt_rows",
    "recorded_rows",
]
