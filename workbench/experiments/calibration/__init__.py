"""Calibration: loads that tell a server's steps from outside, and the profile that comes of it.

A room within the room: who runs experiments need not load the libraries of the regression.
"""

from workbench.experiments.calibration.calibrate import (
    Calibrated,
    CalibrationOrder,
    calibrate_server,
)

__all__ = ["Calibrated", "CalibrationOrder", "calibrate_server"]
