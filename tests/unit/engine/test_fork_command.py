"""`engine fork` as a user calls it."""

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main

PARITY = Path(__file__).parents[2] / "data" / "parity"
RECORD = str(PARITY / "serve" / "serve-60-blocks.steps.jsonl.gz")


def test_that_a_fork_prints_its_differences_and_their_bands(capsys: Any) -> None:
    words = ["engine", "fork", RECORD, "--at", "300", "--set", "max_num_seqs=2", "--draws", "2"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "decisions as recorded" in said
    assert "TTFT mean, ms" in said
    assert main([*words, "--json", "-"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["step"] == 300
    assert result["same"] < result["decisions"] == 480
    for figure in result["figures"].values():
        assert figure["low"] <= figure["changed"] <= figure["high"]
    assert result["figures"]["ttft_ms"]["certain"]
    assert result["lose"]


@pytest.mark.parametrize(
    "words",
    [
        ["--at", "soon"],
        ["--at", "9999"],
        ["--at=-5"],
        ["--at", "nans"],
        ["--at", "infs"],
        ["--at", "3", "--set", "nonsense"],
        ["--at", "3", "--set", "seats=3"],
        ["--at", "3", "--run", "baseline"],
        ["--at", "3", "--draws", "0"],
    ],
)
def test_that_a_wrong_fork_is_refused_in_one_line(words: list[str], capsys: Any) -> None:
    assert main(["engine", "fork", RECORD, *words]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
