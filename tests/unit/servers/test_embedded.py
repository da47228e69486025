"""The embedded engine is started, read back and ended like any other server."""

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import psutil
import pytest

from workbench.base import InputError
from workbench.controls import CONTROLS
from workbench.engine.server.flags import configure
from workbench.servers import (
    EffectiveConfig,
    Server,
    ServerFailedError,
    TargetSpec,
    changed_values,
    make_server,
)


@asynccontextmanager
async def running(controls: dict[str, Any], **spec: Any) -> AsyncIterator[tuple[Server, list[str]]]:
    lines: list[str] = []
    server = make_server(TargetSpec(kind="embedded", **spec), controls)
    try:
        await server.start(lines.append, lambda _, __: None)
        yield server, lines
    finally:
        await server.stop()


async def test_that_it_serves_what_was_asked_and_says_that_it_is_simulated() -> None:
    async with running({"max_num_seqs": 16}, time_scale=50.0) as (server, lines):
        effective = await server.effective()
        tree = [psutil.Process(server.pid), *psutil.Process(server.pid).children(recursive=True)]
        async with httpx.AsyncClient(base_url=server.url, trust_env=False) as client:
            body = {"model": server.model, "prompt": [5, 6, 7], "max_tokens": 4, "ignore_eos": True}
            answer = (await client.post("/v1/completions", json=body)).json()
        assert await server.reset_prefix_cache()
    assert answer["usage"]["completion_tokens"] == 4
    assert (effective.simulated, effective.time_scale) == (True, 50.0)
    assert effective.profile == "h100_sxm/Llama-3.1-8B/tp1"
    assert effective.arguments["max_num_seqs"] == 16
    assert effective.num_gpu_blocks is not None
    assert effective.vocab_size is not None
    assert any("(EngineCore pid=" in line for line in lines)
    assert not any(process.is_running() and process.status() != "zombie" for process in tree)


async def test_that_an_unknown_profile_is_bad_input() -> None:
    with pytest.raises(InputError, match=r"no profile is called 'h100/none'"):
        async with running({}, profile="h100/none"):
            pass


async def test_that_a_pool_too_small_for_a_request_is_told_with_what_would_fit() -> None:
    with pytest.raises(ServerFailedError, match="lower max_model_len to 304 or less"):
        async with running({"num_gpu_blocks_override": 20}):
            pass


def test_that_every_control_is_modelled_or_refused() -> None:
    parser = argparse.ArgumentParser()
    configure(parser)
    known = {flag for action in parser._actions for flag in action.option_strings}
    of_server = {name: control.flag for name, control in CONTROLS.items() if control.of_server}
    assert {name for name, flag in of_server.items() if flag not in known} == {
        name for name, control in CONTROLS.items() if not control.modeled
    }


def test_that_what_moved_besides_the_control_is_told() -> None:
    before = EffectiveConfig(version="1", num_gpu_blocks=100, arguments={"max_num_seqs": 4, "watermark": 0.0})
    after = EffectiveConfig(version="1", num_gpu_blocks=90, arguments={"max_num_seqs": 8})
    assert changed_values(before, after) == {"max_num_seqs": (4, 8), "num_gpu_blocks": (100, 90)}


@pytest.mark.parametrize(
    "args", [["--max-num-seqs", "4"], ["--max-num-seqs=4"], ["--no-enable-chunked-prefill"]]
)
def test_that_extra_words_which_set_an_asked_control_anew_are_refused_before_any_start(
    args: list[str],
) -> None:
    controls = {"max_num_seqs": 16, "enable_chunked_prefill": True}
    with pytest.raises(
        InputError, match=r"\[target\] args: --.* is a control; set .* in \[baseline\] instead"
    ):
        make_server(TargetSpec(kind="embedded", args=args), controls)
    # Where nothing is asked of it, the words are the user's own.
    make_server(TargetSpec(kind="embedded", args=args), {"max_num_batched_tokens": 2048})


@pytest.mark.parametrize(
    ("word", "said"), [("--port", "set by this program"), ("--time-scale=5", "set time_scale")]
)
def test_that_extra_words_which_this_program_sets_are_refused(word: str, said: str) -> None:
    with pytest.raises(InputError, match=rf"\[target\] args: --.*{said}"):
        make_server(TargetSpec(kind="embedded", args=[word]), {})
