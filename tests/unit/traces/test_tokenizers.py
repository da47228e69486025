"""PromptTexts are counted with the user's own tokenizer where one is given, and estimated where none is."""

import json
import sys
from pathlib import Path

import pytest

from workbench.base import InputError
from workbench.traces import import_trace, local_tokenizer

SAID = "one two three four five six"


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    """A tokenizer of whole words."""
    words = {word: number for number, word in enumerate(["[UNK]", *SAID.split(), "human", "gpt"])}
    path = tmp_path / "model" / "tokenizer.json"
    path.parent.mkdir()
    content = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"},
    }
    path.write_text(json.dumps(content))
    return path


@pytest.fixture
def sharegpt(tmp_path: Path) -> Path:
    turns = [{"from": "human", "value": SAID}, {"from": "gpt", "value": "one two"}]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{"id": "a", "conversations": turns}]))
    return path


def test_that_a_local_tokenizer_counts_and_without_one_the_estimate_is_said(
    tokenizer: Path, sharegpt: Path
) -> None:
    for named in (tokenizer, tokenizer.parent):
        counted = import_trace(sharegpt, count_tokens=local_tokenizer(named))
        assert counted.trace.input_length.tolist() == [7]
        assert counted.trace.output_length.tolist() == [2]
    estimated = import_trace(sharegpt)
    assert estimated.trace.input_length.tolist() == [-(-len(f"human\n{SAID}\n") // 4)]
    assert any("estimated" in str(warning) for warning in estimated.report.warnings)
    assert not any("estimated" in str(warning) for warning in counted.report.warnings)


def test_that_the_prompts_of_sharegpt_can_be_held_for_a_replay(sharegpt: Path) -> None:
    assert import_trace(sharegpt).texts is None
    assert import_trace(sharegpt, keep_text=True).texts == (f"human\n{SAID}\n",)


def test_that_a_file_that_is_no_tokenizer_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"tokenizer\.json: no such tokenizer file"):
        local_tokenizer(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match="not a tokenizer that this version"):
        local_tokenizer(tmp_path)


def test_that_without_the_package_it_is_said_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(InputError, match=r"vllm-workbench\[tokenizer\]"):
        local_tokenizer(tmp_path)
