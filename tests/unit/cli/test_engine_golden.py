"""`engine golden`: what is said of the cases that a vLLM made."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main
from workbench.servers.golden import FailedCase, GoldenRequest, GoldenResult

VERSIONS = Path(__file__).parents[2] / "data" / "parity" / "versions"
ALONE = VERSIONS / "0.24.0-48-threshold-3-sync.json.gz"


@pytest.fixture
def maker(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Stands in for a vLLM: `maker(version, …)` has the threshold's case made by that version."""

    def stand_in(version: str, spoil: bool = False, **told: Any) -> None:
        async def make(vllm: str, order: GoldenRequest, *, python: str | None = None) -> GoldenResult:
            assert (vllm, python) == ("env", None)
            content = json.loads(gzip.decompress(ALONE.read_bytes())) | {"vllm_version": version}
            if spoil:
                content["steps"][2]["free"] += 1
            (order.out / "case.json").write_text(json.dumps(content))
            values: dict[str, Any] = {"made": 1, "endless": 0, "broken": (), "lacking": (), **told}
            return GoldenResult(version=version, **values)

        monkeypatch.setattr("workbench.cli.engine_golden.make_golden", make)

    return stand_in


def test_a_version_with_a_row_is_identical(maker: Any, capsys: pytest.CaptureFixture[str]) -> None:
    maker("0.28.0", lacking=("max_num_active_seqs",), stubs=("gguf",))
    assert main(["engine", "golden", "--vllm", "env"]) == 0
    made, lacking, stubs, conclusion = capsys.readouterr().out.splitlines()
    assert made == "vLLM 0.28.0: 1 case made, 0 without an end left out"
    assert "max_num_active_seqs" in lacking
    assert "gguf" in stubs
    assert conclusion.startswith("identical: 1 case and 0 step records")
    assert conclusion.endswith("vLLM 0.28.0 decides by the rules of 0.24 to 0.30")


def test_a_new_version_that_differs_gets_its_row_printed(
    maker: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    maker("0.34.0", broken=(FailedCase(case="c", error="TypeError: x"),))
    assert main(["engine", "golden", "--vllm", "env"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert "vLLM itself broke off in 1 case" in said
    assert "  c: TypeError: x" in said
    assert any(line.startswith("the difference that comes first: differs") for line in said)
    assert said[-1].endswith(
        '_row("0.34", "oversized_prompt_blocks", "keyless_blocks_first", "self_preemption_goes_on"),'
    )


def test_a_rule_that_no_combination_has_is_said(maker: Any, capsys: pytest.CaptureFixture[str]) -> None:
    maker("0.34.0", spoil=True)
    assert main(["engine", "golden", "--vllm", "env"]) == 1
    assert "it has a rule of its own" in capsys.readouterr().out.splitlines()[-1]


def test_a_new_version_that_decides_as_the_last_needs_no_row(
    maker: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.cli.engine_golden.rules_caveat", lambda _: "beyond")
    monkeypatch.setattr("workbench.cli.engine_golden.NEWEST_CHECKED", "0.27")
    maker("0.28.0")
    assert main(["engine", "golden", "--vllm", "env"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert (
        last == "no row is needed: set NEWEST_CHECKED in workbench/vllm_dialect/versions.py from 0.27 to 0.28"
    )


def test_cases_are_kept_in_a_new_folder_and_played_again(
    maker: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    maker("0.28.0")
    words = ["engine", "golden", "--vllm", "env", "--out", str(tmp_path / "cases")]
    assert main(words) == 0
    assert [path.name for path in (tmp_path / "cases").iterdir()] == ["case.json"]
    capsys.readouterr()
    assert main(words) == 2
    assert "is there already" in capsys.readouterr().err
