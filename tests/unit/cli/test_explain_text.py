"""What `explain` prints of a run."""

import pytest

from workbench.advice.blame import Blame
from workbench.cli import explain
from workbench.results.bench.entries import RunEntry

LEDGER = Blame(requests=[], totals={"front_end": 8.0}, matrix={"chat": {"chat": 8.0}})


def a_run(summary: dict[str, object] | None) -> RunEntry:
    fields: dict[str, object] = dict.fromkeys(RunEntry.__struct_fields__)
    return RunEntry(**{**fields, "name": "baseline", "summary": summary})  # type: ignore[arg-type]  # by name


def test_an_invalid_run_says_so_above_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    explain._print(a_run({"valid": False, "reasons": ["client-bound: late"]}), LEDGER, None)
    assert capsys.readouterr().out.splitlines()[1] == "  invalid: client-bound: late"


def test_one_class_alone_lost_nothing_to_another(capsys: pytest.CaptureFixture[str]) -> None:
    explain._print(a_run({"valid": True, "reasons": []}), LEDGER, None)
    printed = capsys.readouterr().out
    assert "invalid" not in printed
    assert "lost" not in printed
