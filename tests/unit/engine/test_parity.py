"""Step for step what vLLM 0.32's own scheduler decided: golden cases and the recording of a live server."""

from pathlib import Path

import pytest

from workbench.engine.parity import check_file

PARITY = Path(__file__).parents[2] / "data" / "parity"
FOLDERS = ("open", "open_async", "random")
CASES = [path for folder in FOLDERS for path in sorted(PARITY.glob(f"{folder}/*.gz"))]


def test_that_all_cases_are_here():
    assert len(CASES) == 144


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}")
def test_that_every_field_of_every_step_of_a_golden_case_is_equal(path: Path):
    verdict = check_file(path)
    assert verdict.identical, str(verdict)
    assert verdict.steps > 0


def test_that_every_call_of_a_live_server_is_equal():
    verdict = check_file(PARITY / "serve" / "serve-60-blocks.steps.jsonl.gz")
    assert verdict.identical, str(verdict)
    assert verdict.steps == 780
