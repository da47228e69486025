"""The table of tried vLLM versions: rows are put in by version, and the page has them in its form."""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from workbench.vllm_dialect import Version

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool() -> Any:
    # Scripts, not a package: they find each other in their own folder.
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "packaging"))
        return importlib.import_module("vllm_versions")


def seen(tool: Any, version: str, own: str = "yes") -> Any:
    return tool.Seen(version, own, "identical", "all 4", "exact", "160 of 160", "today")


def rows(text: str) -> list[str]:
    return re.findall(r"^\| (\d+\.\d+\.\d+) ", text, re.MULTILINE)


def test_rows_stand_newest_first_and_take_the_place_of_the_same_version(tool: Any) -> None:
    empty = f"head\n{tool._BEGIN}\n{tool._END}\ntail\n"
    text = tool.write_rows([seen(tool, "0.9.2"), seen(tool, "0.24.0")], empty)
    text = tool.write_rows([seen(tool, "0.33.0"), seen(tool, "0.24.1", "no: it failed")], text)
    assert rows(text) == ["0.33.0", "0.24.1", "0.9.2"]
    assert "no: it failed" in text
    assert text.startswith("head\n")
    assert text.endswith("tail\n")
    assert tool.write_rows([seen(tool, "0.33.0")], text) == text


def test_the_page_of_the_documentation_is_in_that_form(tool: Any) -> None:
    text = tool.TABLE.read_text("utf-8")
    assert tool.write_rows([], text) == text
    versions = [Version.parse(row) for row in rows(text)]
    assert versions == sorted(versions, reverse=True)
    assert len(versions) >= 3
