"""`make audit`: what is said of pip-audit's report, and what makes it fail; the licenses of a build."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

PACKAGING = Path(__file__).parents[2] / "packaging"
CLEAN = {"name": "good", "version": "1.0", "vulns": []}
BAD = {"name": "bad", "version": "2.0", "vulns": [{"id": "CVE-1", "fix_versions": ["2.1"]}]}
UNKNOWN = {"name": "unknown", "skip_reason": "not found"}


@pytest.fixture
def audit(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(PACKAGING))
    yield __import__("audit")
    for name in ("audit", "licenses"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("libraries", "code", "said"),
    [
        ([CLEAN], 0, "x.lock: 0 known vulnerabilities in 1 libraries"),
        ([CLEAN, UNKNOWN], 0, "not audited, unknown to the source: unknown"),
        ([CLEAN, BAD], 1, "bad 2.0: CVE-1, fixed in 2.1"),
        ([UNKNOWN], 0, "not audited: the source"),
    ],
)
def test_that_only_a_known_vulnerability_fails_the_audit(
    audit: ModuleType, capsys: pytest.CaptureFixture[str], libraries: list[object], code: int, said: str
) -> None:
    report = audit.read_report(json.dumps({"dependencies": libraries}))
    assert audit.tell(report, "x.lock") == code
    assert said in capsys.readouterr().out


def test_that_no_answer_is_no_report(audit: ModuleType) -> None:
    assert audit.read_report("") is None


def test_that_the_licenses_of_a_build_name_each_library_with_its_text(
    audit: ModuleType, tmp_path: Path
) -> None:
    del audit
    text = __import__("licenses").licenses("vllm-workbench", tmp_path)
    table, _, texts = text.partition("=====")
    for library in ("numpy", "PySide6_Essentials", "asyncssh", "msgspec", "Python"):
        assert any(line.lower().startswith(f"{library} ".lower()) for line in table.splitlines()), library
    assert "mypy" not in table
    assert "Permission is hereby granted" in texts
