"""A user's own words are checked before anything is started, as the parser of that vLLM would read them."""

from pathlib import Path

import msgspec
import pytest

from tests.unit.servers.vllm_arguments import REFUSED, TAKEN
from workbench.base import InputError, Place
from workbench.servers import FlagList, TargetSpec
from workbench.servers.command import serve_command
from workbench.servers.extra_args import check_args, engines_of

ARGS = Place(table="target", key="args")
DATA = Path(__file__).parents[2] / "data" / "vllm-flags-0.32.json"
"""Some of the flags of vLLM 0.32, as its own parser has told them."""


@pytest.fixture(scope="module")
def flags() -> FlagList:
    return msgspec.json.decode(DATA.read_bytes(), type=FlagList)


def refusal(words: tuple[str, ...], flags: FlagList) -> str:
    """Empty: none."""
    try:
        check_args(words, flags, version="0.32.0", place=ARGS)
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("words", TAKEN, ids=" ".join)
def test_that_what_vllm_takes_passes(flags: FlagList, words: tuple[str, ...]) -> None:
    assert refusal(words, flags) == ""


@pytest.mark.parametrize(("words", "expected"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_that_what_vllm_refuses_is_told_with_what_would_be_right(
    flags: FlagList, words: tuple[str, ...], expected: str
) -> None:
    with pytest.raises(InputError, match=expected):
        check_args(words, flags, version="0.32.0", place=ARGS)
    assert "\n" not in refusal(words, flags)


def test_that_a_refusal_repeats_no_secret_and_no_long_text(flags: FlagList) -> None:
    assert "hidden" not in refusal(("--hf-token", "hidden", "hidden too"), flags)
    assert len(refusal(("--seed", "9" * 5000 + "x"), flags)) < 200


def test_that_a_flag_of_which_nothing_is_known_takes_anything() -> None:
    flags = msgspec.json.decode(b'{"form": 2, "flags": [{"flags": ["--own"], "dest": "own"}]}', type=FlagList)
    assert refusal(("--own", "anything"), flags) == ""


def test_that_words_are_refused_where_the_command_is_made(flags: FlagList) -> None:
    spec = TargetSpec(kind="local", model="m", args=["--seed", "one"])
    with pytest.raises(InputError, match="--seed takes a whole number, not 'one'"):
        serve_command("vllm", spec, {}, flags, "0.32.0", 8000)


def command(flags: FlagList, *args: str) -> list[str]:
    spec = TargetSpec(kind="local", model="m", args=list(args))
    return serve_command("vllm", spec, {}, flags, "0.32.0", 8000)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("--uds", "/tmp/s"), "--uds can't be used: this program reaches its own servers"),
        (("--ssl-keyfile=k",), "start it yourself and attach to it"),
        (("--port", "1"), "--port is set by this program"),
        (("--ssl-keyf", "k"), "--ssl-keyfile can't be used"),
    ],
)
def test_that_words_of_which_nothing_good_can_come_are_refused(
    flags: FlagList, args: tuple[str, ...], expected: str
) -> None:
    with pytest.raises(InputError, match=expected):
        command(flags, *args)


def test_that_a_control_is_known_by_its_short_flag_too(flags: FlagList) -> None:
    spec = TargetSpec(kind="local", model="m", args=["-q", "fp8"])
    with pytest.raises(InputError, match="--quantization is a control; set quantization in"):
        serve_command("vllm", spec, {"quantization": "awq"}, flags, "0.32.0", 8000)


def test_that_a_helper_of_ours_gives_way_to_the_users_own_and_the_others_stay(flags: FlagList) -> None:
    words = command(flags, "--no-enable-per-request-metrics")
    assert "--enable-per-request-metrics" not in words
    assert words[words.index("--disable-access-log-for-endpoints") + 1] == "/metrics,/health"
    assert "--custom-histogram-buckets" in words


@pytest.mark.parametrize(
    ("words", "engines"),
    [
        ("--dtype float32", 1),
        ("--data-parallel-size 2", 2),
        ("--data_parallel_size=4 --dtype float32", 4),
        ("-dp 2 -dp 3", 3),
        ("--data-parallel-size 8 --data-parallel-size-local 4", 8),
        ("--data-parallel-size 8 --data-parallel-size-local 4 --data-parallel-hybrid-lb", 4),
        ("--data-parallel-size 8 --data-parallel-rank 3", 1),
        ("--data-parallel-size many", 1),
    ],
)
def test_how_many_engines_a_server_has(words: str, engines: int) -> None:
    assert engines_of(words.split()) == engines
