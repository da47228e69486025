"""The folder in which an order is carried out belongs to that order."""

from pathlib import Path
from typing import Any

import pytest

from workbench.base import Refusal
from workbench.experiments.packs import carry_out as rooms
from workbench.experiments.packs.evidence import EVIDENCE_FILE, SessionClock, evidence_bytes
from workbench.servers import TargetSpec


class OtherOrder:
    sha256 = "b" * 64


def test_that_runs_of_another_order_are_not_taken_over(tmp_path: Path) -> None:
    session = SessionClock("a" * 64, TargetSpec(kind="embedded"), []).finish()
    (tmp_path / EVIDENCE_FILE).write_bytes(evidence_bytes([session]))
    order: Any = OtherOrder()
    with pytest.raises(Refusal) as refused:
        rooms.carry_out(order, [], tmp_path, lambda _event: None)
    assert refused.value.kind == "packs.work_of_other_order"
    assert [path.name for path in tmp_path.iterdir()] == [EVIDENCE_FILE]
