"""The vocabulary that prompts are drawn from, of the model's folder: what can't be one is unknown."""

import json
from pathlib import Path

import pytest

from workbench.servers.read_back import vocabulary


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"vocab_size": 128_256}, 128_256),
        ({"text_config": {"vocab_size": 32_000}}, 32_000),
        ({"text_config": ["vocab_size"]}, None),
        ({"text_config": "x"}, None),
        ({"vocab_size": True}, None),
        ({"vocab_size": -5}, None),
        ({"vocab_size": 2**70}, None),
        ({"vocab_size": 0}, None),
        ([], None),
    ],
)
def test_that_a_vocabulary_is_read_from_the_models_folder_or_unknown(
    tmp_path: Path, config: object, expected: int | None
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert vocabulary(str(tmp_path)) == expected
