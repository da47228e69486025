"""Calibration of the load generator: the measurement resolution on this machine."""
