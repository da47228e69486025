import gzip
import json
from pathlib import Path

import pytest

from workbench.cli import main

PARITY = Path(__file__).parents[2] / "data" / "parity"
REPLAY = PARITY / "replay" / "00-light"
FLAGS = [
    "--step-model=a=7429,b=12.15,c=39.7,d=0.0416,e=0.00113",
    "--max-num-seqs=128",
    "--max-num-batched-tokens=4096",
    "--num-gpu-blocks-override=24000",
    "--block-size=16",
    "--no-enable-prefix-caching",
    "--max-model-len=32768",
]


def test_that_identical_files_exit_with_0(capsys: pytest.CaptureFixture[str]):
    files = [str(path) for path in sorted((PARITY / "open").glob("0*.gz"))[:2]]
    assert main(["engine", "check", *files]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "rules  vLLM 0.32.0, decided by the scheduler rules of 0.31 to 0.32",
        "identical  00-no_pressure-0  173 steps",
        "identical  01-no_pressure-1  270 steps",
    ]


def test_that_a_difference_exits_with_1(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    lines = (PARITY / "serve" / "serve-60-blocks.steps.jsonl.gz").read_bytes()
    changed = tmp_path / "changed.steps.jsonl"
    text = gzip.decompress(lines).decode().replace('"free":', '"free":1', 1)
    changed.write_text(text)
    assert main(["engine", "check", str(changed)]) == 1
    used, caveat, verdict = capsys.readouterr().out.splitlines()
    assert used == "rules  vLLM of unknown version, decided by the scheduler rules of 0.31 to 0.32"
    assert caveat.startswith("rules  the vLLM version is unknown")
    assert verdict.startswith("differs  changed  t=0  free  ours ")


def test_that_a_bad_file_is_one_line_and_exits_with_2(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    (tmp_path / "x.json").write_text("{")
    assert main(["engine", "check", str(tmp_path / "x.json")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "x.json" in error


def test_that_a_replay_prints_the_contracts_json(capsys: pytest.CaptureFixture[str]):
    assert main(["engine", "replay", f"{REPLAY}.trace.jsonl", *FLAGS, "--json", "-"]) == 0
    figures = json.loads(capsys.readouterr().out)
    expected = json.loads(REPLAY.with_suffix(".json").read_text())["expected"]
    assert figures["ttft_ms"] == pytest.approx(expected["ttft_ms"], rel=1e-3)
    assert figures["virtual_s"] == pytest.approx(expected["virtual_s"], rel=1e-3)
    keys = "ttft_ms tpot_ms itl_ms e2e_ms queue_ms preemptions preempted_requests recomputed_tokens "
    keys += "prefix_hit_tokens steps tokens_per_step kv_peak virtual_s wall_s"
    assert set(keys.split()) <= figures.keys()


def test_that_a_replay_in_words_names_its_profile_and_its_error(capsys: pytest.CaptureFixture[str]):
    assert main(["engine", "replay", f"{REPLAY}.trace.jsonl", "--profile", "h100_sxm/Llama-3.1-8B/tp1"]) == 0
    text = capsys.readouterr().out
    assert "fitted from kernels; known error TTFT ±23 %" in text
    assert " completed, 0 rejected" in text


def test_that_json_goes_to_a_file(tmp_path: Path):
    target = tmp_path / "figures.json"
    assert main(["engine", "replay", f"{REPLAY}.trace.jsonl", *FLAGS, "--json", str(target)]) == 0
    assert json.loads(target.read_text())["preemptions"] == 0


@pytest.mark.parametrize("words", [["engine", "--list-profiles"], ["engine", "replay", "--list-profiles"]])
def test_that_profiles_are_listed_one_a_line_name_first(words: list[str], capsys: pytest.CaptureFixture[str]):
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[0] == "h100_sxm/Llama-3.1-8B/tp1"
    assert len(lines) >= 24


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["replay"], "name a trace file"),
        (["replay", f"{REPLAY}.trace.jsonl", "--profile", "h100"], "similar names are"),
        (["replay", f"{REPLAY}.trace.jsonl", "--step-model", "a=1"], "--step-model: 'a=1' lacks"),
        (
            ["replay", f"{REPLAY}.trace.jsonl", "--max-num-batched-tokens", "64", "--max-num-seqs", "128"],
            "must be greater than or equal to max_num_seqs",
        ),
        (
            ["replay", f"{REPLAY}.trace.jsonl", "--num-gpu-blocks-override", "40"],
            "estimated maximum model length is 624",
        ),
        (["replay", f"{REPLAY}.trace.jsonl", "--max-model-len", "64"], "need more than 64 tokens"),
        (["replay", "none.jsonl"], "none.jsonl"),
    ],
)
def test_that_bad_input_is_one_line_and_exits_with_2(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["engine", *words]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert complaint in error


def test_that_no_part_is_bad_usage():
    with pytest.raises(SystemExit) as ended:
        main(["engine"])
    assert ended.value.code == 2
