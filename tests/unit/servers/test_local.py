"""A server of ours begins, is watched, and ends with everything that it started."""

import asyncio
import sys
from pathlib import Path

import psutil
import pytest

from tests.unit.servers.there import die
from workbench.base import InputError, Message, WorkbenchError
from workbench.servers import (
    LifecycleState,
    ServerFailedError,
    TargetSpec,
    make_server,
    processes,
    require_target,
)
from workbench.servers.child import Child

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a first line")


class Watch:
    """What a server said of itself."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.states: list[tuple[str, str]] = []
        self.changed = asyncio.Event()

    def log(self, line: str) -> None:
        self.lines.append(line)

    def state(self, state: str, detail: Message | str) -> None:
        self.states.append((state, str(detail)))
        self.changed.set()


def local(script: Path, model: str, **more: object) -> TargetSpec:
    return TargetSpec(kind="local", model=model, executable=str(script), **more)


async def test_that_a_server_passes_its_phases_serves_and_leaves_nothing(vllm_script: Path) -> None:
    watch = Watch()
    server = make_server(local(vllm_script, "ok"), {"max_num_seqs": 4})
    assert server.state == "idle"
    await server.start(watch.log, watch.state)
    tree = [psutil.Process(server.pid), *psutil.Process(server.pid).children(recursive=True)]
    assert len(tree) == 2
    assert server.state == "ready"
    assert server.model == "served"
    await server.stop()
    await server.stop()
    assert not any(process.is_running() and process.status() != "zombie" for process in tree)
    details = [detail for state, detail in watch.states if state == "starting"]
    assert details == [
        "importing vLLM",
        "reading the model's configuration",
        "starting the engine",
        "loading weights",
        "loading weights (0 %)",
        "loading weights (50 %)",
        "loading weights (100 %)",
        "sizing the KV cache",
        "starting the HTTP server",
    ]
    assert [state for state, _ in watch.states[-3:]] == ["ready", "stopping", "stopped"]


async def test_that_what_is_effective_is_read_from_the_server_itself(vllm_script: Path) -> None:
    watch = Watch()
    server = make_server(local(vllm_script, "ok"), {"max_num_seqs": 4})
    await server.start(watch.log, watch.state)
    effective = await server.effective()
    await server.stop()
    assert (effective.version, effective.model, effective.max_model_len) == ("9.9.0", "served", 512)
    assert (effective.num_gpu_blocks, effective.block_size, effective.kv_cache_tokens) == (100, 16, 1600)
    assert effective.arguments["max_num_seqs"] == 4
    assert effective.arguments["scheduling_policy"] == "fcfs"
    assert effective.arguments["enable_prefix_caching"] is True
    assert "num_gpu_blocks_override" not in effective.arguments
    assert effective.system == {"nvidia_gpu_models": "GPU 0: H100"}
    assert "hf_secret" not in repr(effective)
    assert not effective.simulated


async def test_that_the_key_is_nowhere_to_be_seen(vllm_script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    watch = Watch()
    server = make_server(local(vllm_script, "ok", api_key_env="MY_KEY", env={"HF_TOKEN": "hf_own"}), {})
    await server.start(watch.log, watch.state)
    shown = psutil.Process(server.pid).cmdline()
    await server.stop()
    assert server.api_key == "sk-very-secret"
    said = "\n".join([*watch.lines, *map(str, watch.states), *shown, server.command or ""])
    assert "sk-very-secret" not in said
    assert "hf_own" not in said
    assert "VLLM_API_KEY=••••" in (server.command or "")


async def test_that_a_failed_starts_last_words_give_no_secret_away(
    vllm_script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "a very secret key")
    monkeypatch.setenv("HF_TOKEN", "inherited by all")
    spec = local(vllm_script, "quiet", api_key_env="MY_KEY", env={"OWN_PASSWORD": "set for it"})
    watch = Watch()
    with pytest.raises(WorkbenchError, match="its last words: non-default args") as failed:
        await make_server(spec, {}).start(watch.log, watch.state)
    said = "\n".join([*watch.lines, *map(str, watch.states), str(failed.value)])
    assert "very secret" not in said
    assert "inherited" not in said
    assert "set for it" not in said


async def test_that_the_command_can_be_copied_and_has_our_helpers_where_they_exist(vllm_script: Path) -> None:
    server = make_server(local(vllm_script, "ok", args=["--dtype", "float 32"]), {"max_num_seqs": 4})
    watch = Watch()
    await server.start(watch.log, watch.state)
    await server.stop()
    command = server.command or ""
    assert f"{vllm_script} serve ok --host 127.0.0.1 --port " in command
    assert "--max-num-seqs 4 --dtype 'float 32'" in command
    assert "--enable-per-request-metrics --custom-histogram-buckets '{" in command
    assert "--disable-access-log-for-endpoints" not in command


@pytest.mark.parametrize(
    ("model", "words"),
    [("port", "the port is in use"), ("quiet", "exit code 3; its last words: non-default args")],
)
async def test_that_a_failed_start_says_why(vllm_script: Path, model: str, words: str) -> None:
    watch = Watch()
    server = make_server(local(vllm_script, model), {})
    with pytest.raises(ServerFailedError, match=words):
        await server.start(watch.log, watch.state)
    assert server.state is LifecycleState.FAILED
    assert words in watch.states[-1][1]


async def test_that_a_start_can_be_broken_off(vllm_script: Path) -> None:
    watch = Watch()
    server = make_server(local(vllm_script, "slow"), {})
    start = asyncio.create_task(server.start(watch.log, watch.state))
    while "sizing the KV cache" not in dict(map(reversed, watch.states)):
        watch.changed.clear()
        await asyncio.wait_for(watch.changed.wait(), 20)
    tree = psutil.Process(server.pid).children(recursive=True)
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    assert server.state is LifecycleState.STOPPED
    assert not any(process.is_running() and process.status() != "zombie" for process in tree)


async def test_that_a_death_while_serving_is_a_failure_even_with_exit_code_0(vllm_script: Path) -> None:
    watch = Watch()
    server = make_server(local(vllm_script, "dies"), {})
    await server.start(watch.log, watch.state)
    tree = psutil.Process(server.pid).children(recursive=True)
    await die(server.url)
    while server.state is LifecycleState.READY:
        watch.changed.clear()
        await asyncio.wait_for(watch.changed.wait(), 60)
    state, cause = watch.states[-1]
    assert state == "failed"
    assert cause.startswith(
        "the GPU's memory ran out (2.00 GiB more was wanted): lower gpu_memory_utilization"
    )
    assert server.out_of_memory == 1
    await server.stop()
    assert watch.states[-1][0] == "failed"
    assert not any(process.is_running() and process.status() != "zombie" for process in tree)


async def test_that_a_child_left_behind_is_ended_too(vllm_script: Path) -> None:
    watch = Watch()
    server = make_server(local(vllm_script, "stays"), {})
    await server.start(watch.log, watch.state)
    (child,) = psutil.Process(server.pid).children(recursive=True)
    await server.stop()
    assert not child.is_running() or child.status() == "zombie"


async def test_that_one_that_will_not_end_is_killed(
    vllm_script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.servers.local._PATIENCE_S", 0.3)
    watch = Watch()
    server = make_server(local(vllm_script, "stubborn"), {})
    await server.start(watch.log, watch.state)
    tree = [psutil.Process(server.pid), *psutil.Process(server.pid).children(recursive=True)]
    await server.stop()
    assert not any(process.is_running() and process.status() != "zombie" for process in tree)


async def test_that_what_a_vllm_here_would_refuse_is_known_of_every_configuration_without_a_start(
    vllm_script: Path,
) -> None:
    good, lacking = {"max_num_seqs": 4}, {"watermark": 0.5}
    await require_target(local(vllm_script, "ok"), [good])
    with pytest.raises(InputError, match=r"watermark: vLLM 9\.9\.0 has no --watermark"):
        await require_target(local(vllm_script, "ok"), [good, lacking])
    with pytest.raises(InputError, match="--max-num-seqs is a control; set max_num_seqs in"):
        await require_target(local(vllm_script, "ok", args=["--max-num-seqs", "3"]), [good])
    with pytest.raises(InputError, match="did you mean --max-num-seqs"):
        await require_target(local(vllm_script, "ok", args=["--max-num-sequences", "3"]), [good])


@pytest.mark.parametrize(
    ("controls", "args", "words"),
    [
        ({"watermark": 0.5}, [], "watermark: vLLM 9.9.0 has no --watermark"),
        ({}, ["--max-num-sequences", "3"], "has no --max-num-sequences; did you mean --max-num-seqs"),
        ({}, ["--max_num_seqs", "3"], r"--max-num-seqs is a control; set max_num_seqs in \[baseline\]"),
        ({}, ["--port=80"], "--port is set by this program"),
        ({}, ["--api-key", "x"], "--api-key is set by this program"),
    ],
)
async def test_that_words_vllm_lacks_are_refused_before_it_starts(
    vllm_script: Path, controls: dict[str, float], args: list[str], words: str
) -> None:
    watch = Watch()
    server = make_server(local(vllm_script, "ok", args=args), controls)
    with pytest.raises(InputError, match=words):
        await server.start(watch.log, watch.state)
    assert server.pid is None


async def test_that_a_misspelt_variable_is_refused_and_one_that_nobody_knows_is_not(
    vllm_script: Path,
) -> None:
    watch = Watch()
    server = make_server(local(vllm_script, "ok", env={"VLLM_CPU_KV_CACHE_SPACE": "1"}), {})
    with pytest.raises(InputError, match=r"env: vLLM 9\.9\.0 reads no .*did you mean VLLM_CPU_KVCACHE_SPACE"):
        await server.start(watch.log, watch.state)
    known = {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_ASCEND_OF_A_PLUGIN": "1", "OWN": "1"}
    server = make_server(local(vllm_script, "ok", env=known), {})
    await server.start(watch.log, watch.state)
    await server.stop()


def test_that_a_budget_below_the_sequence_limit_is_refused_with_vllms_reason(vllm_script: Path) -> None:
    with pytest.raises(
        InputError, match=r"max_num_batched_tokens \(8\) must be at least max_num_seqs \(16\)"
    ):
        make_server(local(vllm_script, "ok"), {"max_num_batched_tokens": 8, "max_num_seqs": 16})


ORPHAN = """
import pathlib, subprocess, sys, time
sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.05)
subprocess.Popen(sleep).wait()
"""
ROOT = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', *sys.argv[1:]]).wait()"


async def test_that_what_a_descendant_starts_after_its_parents_end_is_ended_too(tmp_path: Path) -> None:
    """An engine that was still starting when its server was killed goes on, and starts its workers."""
    go_on = tmp_path / "go on"
    child = Child.spawn(
        [sys.executable, "-c", ROOT, ORPHAN, str(go_on)], {}, lambda _: None, with_stdin=False
    )
    async with asyncio.timeout(60):
        while len(child.identities) < 2:
            await child.track_descendants()
        psutil.Process(child.pid).kill()
        await child.ended()
        go_on.touch()
        while len(child.identities) < 3:
            await child.track_descendants()
    assert await child.end(patience_s=1.0) == []
    assert [one for one in child.identities.values() if processes.find(one) is not None] == []
