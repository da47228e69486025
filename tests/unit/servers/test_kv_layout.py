"""An installed vLLM is asked once for a model's KV layout; what it can't say is said in one line."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.base import InputError, cache_folder
from workbench.servers.install import Install
from workbench.servers.kv_layout import kv_layout_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a first line")
TOLD: dict[str, Any] = {
    "form": 1, "platform": "cuda", "architecture": "Some",
    "groups": [{"kind": "A", "layers": 2, "block_size": 16}],
    "bytes_per_block": 4096, "block_size": 16, "blocks": [[16, 1.0], [32, 2.0]], "bytes_per_token": 256,
    "state_bytes": 0, "shared_layers": 0, "max_model_len": 32, "kv_cache_dtype": "auto", "weights_bytes": 10,
}  # fmt: skip
WORDS: dict[str, Any] = {"max_model_len": None, "dtype": "half"}


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Stands in for a vLLM whose Python notes what it is asked and answers with a file's content."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "answer").write_text(json.dumps(TOLD))
    python = tmp_path / "python"
    python.write_text(
        f"#!{sys.executable}\n"
        "import json, pathlib, sys\n"
        f"here = pathlib.Path({str(tmp_path)!r})\n"
        "asked = json.loads(pathlib.Path(sys.argv[2]).read_text())\n"
        "model = {path.name: path.read_text() for path in pathlib.Path(asked['folder']).iterdir()}\n"
        "with (here / 'asked').open('a') as log: log.write(json.dumps({**asked, 'model': model}) + '\\n')\n"
        "answer = (here / 'answer').read_text()\n"
        "if answer.startswith('!'): raise SystemExit('[rank0]: ValueError: ' + answer[1:])\n"
        "pathlib.Path(sys.argv[3]).write_text(answer)\n"
    )
    python.chmod(0o755)
    return Install(script=tmp_path / "vllm", python=python, version="9.9.0", site_packages=tmp_path)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "dbrx.json"
    file.write_text('{"a": 1}')
    return file


def _ask(install: Install, config: Path, **more: Any) -> Any:
    asked = {"tp": 2, "words": WORDS, "for_card": True, **more}
    return asyncio.run(kv_layout_of(install, config, **asked))


def _asked(install: Install) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (install.site_packages / "asked").read_text().splitlines()]


def test_the_model_is_handed_over_as_a_folder_by_whatever_name_its_file_has(
    install: Install, config: Path
) -> None:
    (config.parent / "hf_quant_config.json").write_text('{"b": 2}')
    told = _ask(install, config)
    assert (told.bytes_per_token, told.blocks, told.groups[0].layers) == (256, ((16, 1.0), (32, 2.0)), 2)
    (asked,) = _asked(install)
    assert (asked["tp"], asked["words"], asked["for_card"]) == (2, WORDS, True)
    assert asked["model"] == {"config.json": '{"a": 1}', "hf_quant_config.json": '{"b": 2}'}
    assert not Path(asked["folder"]).exists()


def test_it_is_asked_once_and_again_after_any_change(install: Install, config: Path) -> None:
    first = _ask(install, config)
    assert _ask(install, config) == first
    assert len(_asked(install)) == 1
    _ask(install, config, tp=4)
    _ask(install, config, for_card=False)
    config.write_text('{"a": 2}')
    _ask(install, config)
    assert len(_asked(install)) == 4
    assert len(list((cache_folder() / "vllm-kv").iterdir())) == 4


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("!Model architecture X was supported until 0.23", "it said: ValueError: Model architecture X was"),
        ("[]", "the KV layout can't be read"),
        ('{"form": 1}', "the KV layout can't be read"),
    ],
)
def test_what_it_cannot_say_is_one_line_and_nothing_of_it_is_kept(
    install: Install, config: Path, answer: str, said: str
) -> None:
    (install.site_packages / "answer").write_text(answer)
    with pytest.raises(InputError, match=said) as caught:
        _ask(install, config)
    assert "\n" not in str(caught.value)
    (install.site_packages / "answer").write_text(json.dumps(TOLD))
    assert (_ask(install, config)).bytes_per_token == 256


def test_a_file_that_is_not_there_is_named(install: Install, config: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json"):
        _ask(install, config.with_name("none.json"))
