"""Whole runs through real processes: patient, since a busy machine makes them slow and not wrong."""

from pathlib import Path

import pytest

from tests.patience import qtbot

__all__ = ["qtbot"]

PATIENCE_S = 300


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Scenarios get at least this time."""
    here = Path(__file__).parent
    for item in items:
        if item.path.parent != here:
            continue
        asked = item.get_closest_marker("timeout")
        if asked is None or asked.args[0] < PATIENCE_S:
            item.add_marker(pytest.mark.timeout(PATIENCE_S), append=False)
