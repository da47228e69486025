"""`tune` refuses wrong arguments before anything is made."""

from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main

EXPERIMENT = """
name = "Start"
[target]
kind = "embedded"
[trace]
synthetic = "64:8"
[load]
rates = [4]
duration_s = 5
"""


@pytest.mark.parametrize(
    "words", [["--control", "nonsuch"], ["--gain", "nan"], ["--minutes", "nan"], ["--minutes", "-1"]]
)
def test_that_a_wrong_argument_is_refused_in_one_line_and_makes_no_folder(
    words: list[str], tmp_path: Path, capsys: Any
) -> None:
    path, out = tmp_path / "start.toml", tmp_path / "out"
    path.write_text(EXPERIMENT)
    assert main(["tune", str(path), "--out", str(out), *words]) == 2
    said = capsys.readouterr().err.strip()
    assert len(said.splitlines()) == 1
    assert words[0].removeprefix("--") in said
    assert not out.exists()
