"""Masking: structured values by their names, captured text by known secrets and forms of keys."""

import json
import shlex
import subprocess
import sys
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import (
    MASK,
    is_secret_name,
    mask_arguments,
    mask_command,
    mask_environment,
    mask_sentence,
    mask_text,
    mask_value,
    secrets_in,
    secrets_of,
)
from workbench.controls import CONTROLS
from workbench.results import COLUMNS
from workbench.servers.command import FINE_BUCKETS

BUCKETS = ["--custom-histogram-buckets", json.dumps(FINE_BUCKETS, separators=(",", ":"))]


def test_that_our_own_histogram_buckets_are_no_secret_wherever_they_are_written() -> None:
    command = shlex.join(["vllm", "serve", "m", *BUCKETS])
    assert mask_arguments(BUCKETS) == BUCKETS
    assert mask_command(command) == command
    assert mask_text(command) == command
    assert mask_value({"summary": {"command": command}}) == {"summary": {"command": command}}


def test_that_names_of_secrets_are_told_from_names_about_tokens() -> None:
    secret = ("session_token", "bot_token", "AUTH_TOKEN_ID", "API_TOKENS", "Proxy-Authorization")
    assert [name for name in (*secret, "first_token_api_key") if not is_secret_name(name)] == []
    harmless = (
        *("time_to_first_token", "inter_token_latency", "eos_token", "--image-token-id"),
        *("num_key_value_heads", "hf_overrides"),
        *(control.flag or name for name, control in CONTROLS.items()),
        *(column.name for column in COLUMNS),
    )
    assert [name for name in harmless if is_secret_name(name)] == []


NESTED = '{"note_api_key": "c-json", "num_key_value_heads": 8, "deep": [{"password": "c-deep", "x": "y"}]}'


@pytest.mark.parametrize(
    ("words", "masked"),
    [
        (
            ["--hf-overrides", NESTED],
            ["--hf-overrides", NESTED.replace("c-json", MASK).replace("c-deep", MASK)],
        ),
        ([f"--hf-overrides={NESTED}"], None),
        (['{"password": 1234, "n": 5}'], [f'{{"password":"{MASK}","n":5}}']),
        (["--hf-overrides.note_api_key", "c-dotted"], ["--hf-overrides.note_api_key", MASK]),
        (["-e", "HF_TOKEN=c-setting"], ["-e", f"HF_TOKEN={MASK}"]),
        (["--env=HF_TOKEN=c-setting"], [f"--env=HF_TOKEN={MASK}"]),
        (["https://me:c-user@host/m?token=c-query&x=1"], [f"https://{MASK}@host/m?token={MASK}&x=1"]),
        (["X-Api-Key: c-header"], [f"X-Api-Key: {MASK}"]),
        (["--api-key-env", "MY_KEY"], ["--api-key-env", "MY_KEY"]),
        (["--header", "Authorization=env:MY_KEY"], ["--header", "Authorization=env:MY_KEY"]),
        (["--eos-token", "<s>", "--seed=7"], ["--eos-token", "<s>", "--seed=7"]),
        (['{broken "api_key": "c-broken"'], [f'{{broken "api_key": "{MASK}"']),
    ],
)
def test_that_secrets_in_command_lines_are_masked_by_name_and_nothing_else_is(
    words: list[str], masked: list[str] | None
) -> None:
    found = mask_arguments(words)
    assert masked is None or found == masked
    assert "c-" not in " ".join(found)
    assert mask_arguments(found) == found, "masking twice changes nothing"
    assert mask_command(shlex.join(words)) == (shlex.join(found) if found != words else shlex.join(words))


@pytest.mark.skipif(sys.platform == "win32", reason="commands are quoted for a POSIX shell")
def test_that_a_masked_command_can_be_pasted_and_reaches_the_program_with_its_words() -> None:
    words = mask_arguments(["--hf-overrides", NESTED, "--hf-token", "c-token", *BUCKETS])
    program = [sys.executable, "-c", "import json, sys; print(json.dumps(sys.argv[1:]))"]
    command = mask_command(shlex.join([*program, *words]))
    said = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    received = json.loads(said.stdout)
    assert received == words
    assert json.loads(received[1])["note_api_key"] == MASK
    assert json.loads(received[-1]) == FINE_BUCKETS


def test_that_an_environment_is_masked_by_names_and_within_values() -> None:
    environment = {
        "HF_TOKEN": "c-token",
        "HTTPS_PROXY": "http://me:c-proxy@host:3128",
        "EXTRA": '{"api_key": "c-extra"}',
        "TOKENIZERS_PARALLELISM": "false",
    }
    assert mask_environment(environment) == {
        "HF_TOKEN": MASK,
        "HTTPS_PROXY": f"http://{MASK}@host:3128",
        "EXTRA": f'{{"api_key": "{MASK}"}}',
        "TOKENIZERS_PARALLELISM": "false",
    }
    assert {"c-token", "c-proxy", "c-extra"} <= set(secrets_of([], environment))


def test_that_plain_data_is_masked_at_any_depth_and_keeps_its_numbers() -> None:
    plain: dict[str, Any] = {
        "args": ["--hf-token", "c-flag", NESTED],
        "env": {"MY_KEY": "c-env", "REFERENCE": "env:MY_KEY"},
        "headers": {"Authorization": "env:MY_KEY"},
        "command": f"HF_TOKEN=c-command vllm serve m --hf-overrides '{NESTED}'",
        "api_key_env": "MY_KEY",
        "ttft_ms": {"p50": 1.5, "n": 3},
        "none": None,
    }
    masked = mask_value(plain)
    assert "c-" not in json.dumps(masked)
    assert (masked["ttft_ms"], masked["none"]) == (plain["ttft_ms"], None)
    assert (masked["headers"], masked["api_key_env"]) == (plain["headers"], "MY_KEY")
    assert mask_value(masked) == masked
    assert {"c-flag", "c-env", "c-json", "c-command"} <= set(secrets_in(plain))


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        ("hf_overrides={'a': 1}", "hf_overrides={'a': 1}"),
        ("using hf_AbCdEf1234", f"using {MASK}"),
        ("'api_key': ['one', 'two'], 'b': 1", f"'api_key': ['{MASK}', '{MASK}'], 'b': 1"),
        ("password='two words' next", f"password='{MASK}' next"),
        ("Authorization: Basic YTpi, ok", f"Authorization: Basic {MASK}, ok"),
        ("token eyJhbGciOi.eyJzdWIiOiIx.sig", f"token {MASK}"),
        ("GET https://me:pw@host/v1?sig=abc", f"GET https://{MASK}@host/v1?sig={MASK}"),
        ("--api-key abc --port 1", f"--api-key {MASK} --port 1"),
        ("key AKIAABCDEFGHIJKLMNOP", f"key {MASK}"),
        *((line, line) for line in (
            '"time_to_first_token":[0.001,0.01]', "image@sha256:0123", "https://host/pkg@1.0?version=2",
            "eos_token=</s>", "first_token: 3", "{'max_tokens': 5}",
        )),
    ],
)  # fmt: skip
def test_that_captured_text_loses_the_usual_forms_of_keys_and_nothing_else(said: str, stored: str) -> None:
    assert mask_text(said) == stored
    assert mask_text(stored) == stored


@pytest.mark.parametrize("secret", ['c-"quoted"', "c-päss wörd", "c-100%&x"])
def test_that_a_known_secret_is_found_as_json_python_and_urls_write_it(secret: str) -> None:
    line = f"{secret} {json.dumps(secret)} {secret!r}"
    masked = mask_text(line, [secret])
    assert "c-" not in masked


def test_that_a_sentence_of_ours_keeps_the_words_behind_a_flag() -> None:
    sentence = "[target] args: --api-key is set by this program, not c-known"
    assert (
        mask_sentence(sentence, ["c-known"]) == f"[target] args: --api-key is set by this program, not {MASK}"
    )


_PIECES = st.sampled_from(
    [
        *(
            "--api-key",
            "hf_token",
            "password",
            "=",
            ":",
            " ",
            "'",
            '"',
            "{",
            "}",
            "[",
            "]",
            ",",
            "env:",
            "://",
        ),
        *(
            "Bearer ",
            "https",
            "@",
            "?",
            "&",
            "sk-abcdef12",
            "NAME",
            "x-api-key",
            "\\",
            "\n",
            MASK,
            "c0ntent",
            "7",
        ),
    ]
)
TEXTS = st.lists(_PIECES, max_size=9).map("".join)


@given(words=st.lists(TEXTS, max_size=5))
def test_that_masking_twice_changes_nothing(words: list[str]) -> None:
    """A stored figure is masked where it is stored and where it is computed again."""
    masked = mask_arguments(words)
    assert mask_arguments(masked) == masked
    command = mask_command(" ".join(words))
    assert mask_command(command) == command
    text = mask_text(" ".join(words))
    assert mask_text(text) == text
    plain = mask_value({"args": words, "said": words[0] if words else "", "command": " ".join(words)})
    assert mask_value(plain) == plain


@given(
    secret=st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=6).filter(
        lambda text: MASK not in text and not text.startswith("env:")
    ),
    name=st.sampled_from(["note_api_key", "HF_TOKEN", "client_secret", "db.password", "Authorization"]),
)
def test_that_a_secret_under_its_name_is_nowhere_and_known(secret: str, name: str) -> None:
    marked = f"zqj{secret}7f3"
    nested = {"a": [{name: marked}], "json": json.dumps({name: [marked]}), "args": [f"--{name}={marked}"]}
    assert "zqj" not in json.dumps(mask_value(nested))
    assert "zqj" not in mask_text(f"said {marked} and {json.dumps(nested)}", secrets_in(nested))


@pytest.mark.parametrize(
    "piece",
    ["x", "a.b", "a-b_", "'\"", "[{(", "a=b;", "_key", "x_key: ", "eyJ-aaaaaaaa", "\\", "http://", "--key "],
)
def test_that_a_line_of_100_000_characters_is_masked_in_a_moment(piece: str) -> None:
    """A pattern that looks back over the line from each of its places would take minutes."""
    line = (piece * 100_000)[:100_000] + " https://me:pw@host"
    began = time.process_time()
    assert "pw" not in mask_text(line)
    mask_arguments([line])
    assert time.process_time() - began < 10
