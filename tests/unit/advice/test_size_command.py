"""The command `size`: JSON for programs, a table for people, one line for what can't be."""

import json
import sys
from pathlib import Path

import pytest

from workbench.cli import main

CONFIGS = json.loads((Path(__file__).parents[2] / "data" / "advice" / "model_configs.json").read_text())
KEYS = {
    "weights_gib", "kv_bytes_per_token", "kv_gib", "kv_tokens", "kv_blocks", "max_concurrency",
    "max_model_len_fits", "budget_gib", "overhead_gib", "band_pct", "notes",
}  # fmt: skip


@pytest.fixture
def config(tmp_path: Path) -> str:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(CONFIGS["meta-llama/Llama-3.1-8B-Instruct"]))
    return str(file)


def test_that_json_on_standard_output_has_the_promised_keys(
    config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["size", "--config", config, "--gpu", "h100", "--max-model-len", "8192", "--json"]
    for ending in ([], ["-"]):
        assert main([*words, *ending]) == 0
        said = json.loads(capsys.readouterr().out)
        assert set(said) >= KEYS
        assert said["kv_bytes_per_token"] == 131_072
        assert said["max_concurrency"] > 50


def test_that_json_goes_to_a_file_when_named(config: str, tmp_path: Path) -> None:
    target = tmp_path / "size.json"
    assert main(["size", "--config", config, "--gpu-gib", "79.19", "--json", str(target)]) == 0
    assert json.loads(target.read_text())["weights_gib"] == pytest.approx(14.99, abs=0.02)


def test_that_people_get_a_table_with_its_notes(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["size", "--config", config, "--gpu", "h100"]) == 0
    text = capsys.readouterr().out
    assert "weights           14.99 GiB" in text
    assert "note: " in text


@pytest.mark.parametrize(
    "words", [["--gpu", "h1000"], ["--tp", "3"], ["--config", "/nowhere/config.json"], ["--kv-gib", "-1"]]
)
def test_that_what_cannot_be_is_one_line_and_exit_2(
    words: list[str], config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["size", "--config", config, *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", ": is empty; give a model's config.json"),
        (b" \n", ": is empty; give a model's config.json"),
        (b"\x7fELF\x02\xf1\x00", ": not JSON: it is not UTF-8 text; give a model's config.json"),
        (b'{"a": }', ":1: not JSON at column 7: expecting value"),
        (b"[" * 100_000, ": not a model's config.json: nested too deep"),
    ],
)
def test_that_what_is_no_config_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, said: str
) -> None:
    file = tmp_path / "config.json"
    file.write_bytes(content)
    assert main(["size", "--config", str(file), "--gpu", "h100"]) == 2
    assert capsys.readouterr().err == f"error: {file}{said}\n"


@pytest.mark.parametrize("name", ["model.safetensors.index.json", "model.safetensors"])
def test_that_broken_weights_are_told_in_one_line(
    config: str, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    file = Path(config).with_name(name)
    file.write_bytes(b"\x00\x01nothing")
    assert main(["size", "--config", str(file.parent), "--gpu", "h100"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {file}: not a ")
    assert said.endswith("; download the model again\n")


@pytest.mark.parametrize(
    "tensor",
    [
        "3",
        "null",
        '{"dtype": "F32"}',
        '{"dtype": "F32", "data_offsets": [0]}',
        '{"dtype": "F32", "data_offsets": ["a", "b"]}',
        '{"dtype": [], "data_offsets": [0, 4]}',
        '{"dtype": "F32", "data_offsets": [8, 4]}',
        '{"dtype": "F32", "data_offsets": [-8, 4]}',
    ],
)
def test_that_a_tensor_that_cannot_be_is_told_in_one_line(
    config: str, capsys: pytest.CaptureFixture[str], tensor: str
) -> None:
    file = Path(config).with_name("model.safetensors")
    header = f'{{"__metadata__": {{"format": "pt"}}, "a": {tensor}}}'.encode()
    file.write_bytes(len(header).to_bytes(8, "little") + header)
    assert main(["size", "--config", str(file.parent), "--gpu", "h100"]) == 2
    assert (
        capsys.readouterr().err == f"error: {file}: not a whole safetensors file; download the model again\n"
    )


@pytest.mark.parametrize(
    "index",
    ["[]", "3", '{"metadata": []}', '{"metadata": {"total_size": -5}}', '{"weight_map": ["a"]}'],
)
def test_that_an_index_that_cannot_be_is_told_in_one_line(
    config: str, capsys: pytest.CaptureFixture[str], index: str
) -> None:
    file = Path(config).with_name("model.safetensors.index.json")
    file.write_text(index)
    assert main(["size", "--config", str(file.parent), "--gpu", "h100"]) == 2
    assert f"error: {file}: not a safetensors index" in capsys.readouterr().err


def test_that_a_length_that_fits_by_the_estimate_is_said_with_its_band_and_the_safe_one(
    config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["size", "--config", config, "--gpu-gib", "24", "--max-model-len", "131072", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    low, high = said["kv_tokens_low"], said["kv_tokens_high"]
    assert low < said["max_model_len_fits"] < high
    (note,) = [note for note in said["notes"] if "doesn't fit" in note]
    assert f"max_model_len {said['max_model_len_fits']} does by this estimate (" in note
    safe = int(note.rpartition(": ")[2].partition(" is safe")[0])
    assert safe == pytest.approx(low, rel=0.01)


@pytest.mark.parametrize(("written", "meant"), [("8k", 8000), ("8K", 8192), ("8192", 8192)])
def test_that_lengths_may_be_written_as_a_servers_words_write_them(
    config: str, capsys: pytest.CaptureFixture[str], written: str, meant: int
) -> None:
    words = ["size", "--config", config, "--gpu", "h100", "--json"]
    assert main([*words, "--max-model-len", written, "--max-num-batched-tokens", written]) == 0
    said = json.loads(capsys.readouterr().out)
    assert main([*words, "--max-model-len", str(meant), "--max-num-batched-tokens", str(meant)]) == 0
    assert said == json.loads(capsys.readouterr().out)
    assert said["max_model_len"] == meant


def test_that_a_length_that_is_no_number_is_named_by_its_option(
    config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["size", "--config", config, "--gpu", "h100", "--max-model-len", "many"]) == 2
    assert "--max-model-len: 'many' is not a whole number" in capsys.readouterr().err


def test_that_a_vllm_that_cannot_be_asked_leaves_the_count_and_says_why(
    config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a Python with a distribution named vllm and nothing in it."""
    packages = tmp_path / "packages"
    (packages / "vllm-9.9.0.dist-info").mkdir(parents=True)
    (packages / "vllm-9.9.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: vllm\nVersion: 9.9.0\n"
    )
    (tmp_path / "vllm").write_text(f"#!{sys.executable}\n")
    (tmp_path / "vllm").chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", str(packages))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    words = ["size", "--config", config, "--gpu", "h100", "--json", "--vllm", str(tmp_path / "vllm")]
    assert main(words) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["kv_bytes_per_token"] == 131_072
    assert said["kv_tokens"]
    assert said["notes"][0].startswith("vLLM couldn't be asked for the KV layout, so it is counted")
    assert "this vLLM has no" in said["notes"][0]
    assert any("carried over to 9.9.0" in note for note in said["notes"])
    assert main([*words, "--pp", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["notes"][0].startswith("with --pp vLLM isn't asked")


def test_that_a_vllm_that_is_not_there_is_named(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["size", "--config", config, "--vllm", "/nowhere/vllm"]) == 2
    assert "/nowhere/vllm: no such file" in capsys.readouterr().err


def test_that_notes_come_as_kinds_with_their_figures_too(
    config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["size", "--config", config, "--gpu", "h100", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert len(said["messages"]) == len(said["notes"])
    (assumed,) = [note for note in said["messages"] if note["kind"] == "sizing.share_assumed"]
    assert assumed["values"] == {"share": 0.92}


def test_a_refused_setting_is_named_by_its_flag(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["size", "--config", config, "--gpu", "h100", "--max-num-seqs", "0"]) == 2
    assert capsys.readouterr().err.startswith("error: --max-num-seqs: 0 is too small")
