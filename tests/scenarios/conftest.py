"""Whole runs through real processes: patient, since a busy machine makes them slow and not wrong."""

from tests.patience import qtbot

__all__ = ["qtbot"]
