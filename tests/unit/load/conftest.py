"""Replays of a few requests begin at once: nothing here needs the time in which many connections open."""

import pytest

from workbench.load import run


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_MARGIN_S", 0.15)
