"""Finding the rules that a version follows: from golden cases, by trying all combinations of switches."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from workbench.base import InputError
from workbench.engine.parity import judge
from workbench.engine.scheduler import Rules, row_text, rules_for

PARITY = Path(__file__).parents[2] / "data" / "parity"
ALONE = PARITY / "versions" / "0.24.0-48-threshold-3-sync.json.gz"
PLAIN = PARITY / "open" / "00-no_pressure-0.json.gz"
RECORD = PARITY / "serve" / "serve-60-blocks.steps.jsonl.gz"


def put(path: Path, folder: Path, **changes: Any) -> None:
    """Write a case into the folder, changed."""
    content = json.loads(gzip.decompress(path.read_bytes())) | changes
    (folder / path.name.removesuffix(".gz")).write_text(json.dumps(content))


def test_cases_that_are_identical_need_no_search(tmp_path: Path):
    put(PLAIN, tmp_path)
    (tmp_path / "a.steps.jsonl").write_bytes(gzip.decompress(RECORD.read_bytes()))
    found = judge(tmp_path)
    assert (found.cases, found.records, found.differing, found.fitting) == (1, 1, (), None)
    assert (found.steps, found.smallest) == (173 + 780, None)


def test_a_version_that_decides_by_other_rules_is_found_out(tmp_path: Path):
    """0.24's case under the name of a version whose row has the threshold in company only."""
    put(ALONE, tmp_path, vllm_version="0.34.0")
    put(PLAIN, tmp_path, vllm_version="0.34.0")
    found = judge(tmp_path)
    assert [verdict.name for verdict in found.differing] == ["48-threshold-3-sync"]
    assert found.fitting is not None
    assert not found.fitting.threshold_in_company_only
    # The nearest to the version's own row that fits.
    assert found.fitting.self_preemption_goes_on
    assert row_text("0.34.0", found.fitting) == (
        '_row("0.34", "oversized_prompt_blocks", "keyless_blocks_first", "self_preemption_goes_on"),'
    )


def test_a_rule_of_its_own_fits_no_combination(tmp_path: Path):
    content = json.loads(gzip.decompress(PLAIN.read_bytes()))
    content["steps"][5]["free"] += 1
    (tmp_path / "case.json").write_text(json.dumps(content))
    found = judge(tmp_path)
    assert found.fitting is None
    assert found.smallest is not None
    assert found.smallest.difference is not None
    assert found.smallest.difference.field == "free"


def test_the_difference_that_comes_first_is_the_smallest(tmp_path: Path):
    for place, name in ((40, "late"), (3, "early")):
        content = json.loads(gzip.decompress(PLAIN.read_bytes())) | {"case": name}
        content["steps"][place]["free"] += 1
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    smallest = judge(tmp_path).smallest
    assert smallest is not None
    assert smallest.name == "early"


def test_what_is_no_case_is_refused(tmp_path: Path):
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(InputError, match="not a golden case"):
        judge(tmp_path)


def test_the_row_of_a_known_version_is_as_it_stands_in_the_table():
    assert row_text("0.12.0", rules_for("0.12.0")) == '_row("0.12", "oversized_prompt_blocks"),'
    none = dict.fromkeys(Rules.__struct_fields__, False)
    assert row_text("0.11.2", Rules(**none)) == '_row("0.11"),'
