"""The table of which rule is held to by what is complete, and points at tests that exist."""

import re
from pathlib import Path

from workbench.advice.diagnosis.bottleneck_rules import BOTTLENECK_RULES
from workbench.advice.diagnosis.run_rules import RUN_RULES

ROOT = Path(__file__).parents[3]
TABLE = (ROOT / "docs" / "reference" / "diagnosis.md").read_text(encoding="utf-8")
ENGINE_RUNS = [
    *("tests/unit/advice/test_rules_on_engine_runs.py", "tests/unit/advice/test_diagnosis_of_engine_runs.py"),
    "tests/scenarios/test_stand_in_gpu.py",
    "tests/unit/advice/test_uneven_engines.py",
    *("tests/scenarios/test_late_client.py", "tests/unit/advice/test_diagnosis_of_changed_limits.py"),
]


def _rows() -> dict[str, list[str]]:
    lines = [
        line.strip("| ").split(" | ") for line in TABLE.splitlines() if re.match(r"\| R\d+ [a-zA-Z]", line)
    ]
    return {cells[0].split()[0]: cells[1:] for cells in lines if len(cells) == 4}


def test_that_every_rule_has_its_row_with_three_kinds_of_test() -> None:
    known = {rule.id for rule in BOTTLENECK_RULES} | {rule.id for rule in RUN_RULES}
    # R9 needs two runs and is said by `compare`, R13 is said before a start.
    assert set(_rows()) == known | {"R9", "R13"}
    for rule, (synthetic, engine, case) in _rows().items():
        assert synthetic.startswith("yes"), rule
        assert engine, rule
        assert case, rule


def test_that_every_report_named_as_evidence_has_its_test() -> None:
    tested = (ROOT / "tests/unit/advice/test_diagnosis_of_cases.py").read_text(encoding="utf-8")
    failures = (ROOT / "tests/unit/dialect/test_failures.py").read_text(encoding="utf-8")
    for rule, (_, _, case) in _rows().items():
        for number in re.findall(r"\d+", case) if case.startswith("case") else []:
            assert f"test_case_{number}_" in tested or f"cases/{number}.txt" in failures, (rule, number)


def test_that_every_rule_is_asserted_on_an_engine_run() -> None:
    source = "".join((ROOT / name).read_text(encoding="utf-8") for name in ENGINE_RUNS)
    named = {
        "R1": "Bottleneck.SEQUENCES",
        "R2": "Bottleneck.BUDGET",
        "R3": "Bottleneck.KV_CACHE",
        "R7": "Bottleneck.DECODE_STARVED",
    }
    named |= {"R8": "Client-bound", "R9": "test_r9_", "R13": '"R13: ', "R15": "Bottleneck.BLOCKED_HEAD"}
    for rule in _rows():
        assert named.get(rule, f'"{rule}"') in source, rule
