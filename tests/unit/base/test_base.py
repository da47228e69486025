"""Files, secrets, records."""

from pathlib import Path

import pytest

from workbench.base import (
    MASK,
    InputError,
    mask_arguments,
    mask_environment,
    mask_text,
    require_writable_folder,
    secrets_of,
)
from workbench.base.files import write_atomic


def test_that_the_values_of_secret_flags_are_masked_in_both_spellings() -> None:
    words = [
        "vllm",
        "serve",
        "m",
        "--api-key",
        "abc",
        "def",
        "--hf-token=xyz",
        "--max-num-batched-tokens",
        "512",
    ]
    assert mask_arguments(words) == [
        *("vllm", "serve", "m", "--api-key", MASK, MASK, f"--hf-token={MASK}"),
        *("--max-num-batched-tokens", "512"),
    ]


@pytest.mark.parametrize(
    "flag", ["--max-num-queued-tokens", "--tokenizer", "--tokenizer-mode", "--long-prefill-token-threshold"]
)
def test_that_flags_about_tokens_are_not_taken_for_secrets(flag: str) -> None:
    assert mask_arguments([flag, "17"]) == [flag, "17"]


def test_that_secret_variables_are_masked_and_others_kept() -> None:
    environment = {"VLLM_API_KEY": "s3cret", "HF_TOKEN": "hf_1", "DB_PASSWORD": "p", "PATH": "/bin"}
    assert mask_environment(environment) == {
        "VLLM_API_KEY": MASK, "HF_TOKEN": MASK, "DB_PASSWORD": MASK, "PATH": "/bin",
    }  # fmt: skip


def test_that_a_known_secret_and_what_reads_like_one_leave_captured_text() -> None:
    line = "non-default args: {'api_key': ['s3cret'], 'port': 8000} Authorization: Bearer tok-1 and s3cret"
    masked = mask_text(line, known=["s3cret"])
    assert "s3cret" not in masked
    assert "tok-1" not in masked
    assert "'port': 8000" in masked


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("--hf-token zzz --model m", f"--hf-token {MASK} --model m"),
        ("--api-key=abc", f"--api-key={MASK}"),
        ("env MY_TOKEN=tok-999", f"env MY_TOKEN={MASK}"),
        ("{'hf_token': 'zzz', 'seed': 0}", f"{{'hf_token': '{MASK}', 'seed': 0}}"),
        ("x-api-key: zzz", f"x-api-key: {MASK}"),
        ("using sk-abcdef-123 here", f"using {MASK} here"),
        *((line, line) for line in (
            "KeyError: 'model.layers'", "unexpected key: a.b", "eos_token: <s>, bos_token='x'",
            "num_tokens=5 tokens: 7", "tokenizer='x', max_num_batched_tokens=2048", "'api_key': [], 'b': 1",
            "api_key=None", "API_KEY: env:MY",
        )),
    ],
)  # fmt: skip
def test_that_secrets_leave_a_log_by_their_names_and_looks_and_nothing_else_does(
    said: str, stored: str
) -> None:
    assert mask_text(said) == stored


def test_that_the_values_that_are_masked_are_known_for_the_log() -> None:
    words = ["--api-key", "first", "second", "--hf-token=third", "--seed", "17"]
    assert sorted(secrets_of(words, {"HF_TOKEN": "fourth", "PATH": "/bin", "A_KEY": "no"})) == [
        "first", "fourth", "second", "third",
    ]  # fmt: skip


def test_that_a_failed_write_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "scorecard.csv"
    target.mkdir()
    with pytest.raises(InputError, match=r"scorecard\.csv"):
        write_atomic(target, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["scorecard.csv"]


def test_that_a_write_replaces_the_whole_file(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_atomic(target, "first, longer")
    write_atomic(target, "second")
    assert target.read_text() == "second"


def test_that_a_file_in_the_place_of_a_folder_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "occupied").write_text("")
    with pytest.raises(InputError, match="occupied"):
        require_writable_folder(tmp_path / "occupied")
