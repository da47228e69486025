"""Recording of steps and live limits are asked for in the target, and refused where they can't be had."""

import asyncio
import sys
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import httpx
import pytest

from workbench.base import InputError
from workbench.controls import LIVE_LIMITS
from workbench.engine import check_file
from workbench.servers import Server, ServerFailedError, TargetSpec, check_target, make_server
from workbench.servers.engine_access import EngineAccess

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="this system has no Unix sockets")


async def started(spec: TargetSpec, controls: dict[str, Any]) -> Server:
    server = make_server(spec, controls)
    await server.start(lambda _: None, lambda _, __: None)
    return server


async def complete(server: Server, prompt: int) -> None:
    async with httpx.AsyncClient(base_url=server.url or "", trust_env=False) as client:
        body = {"model": server.model, "prompt": [prompt, 6, 7], "max_tokens": 30, "ignore_eos": True}
        assert (await client.post("/v1/completions", json=body)).status_code == 200


async def test_that_limits_of_the_embedded_engine_change_while_it_serves_and_are_recorded() -> None:
    spec = TargetSpec(kind="embedded", time_scale=20.0, record_steps=True, live_limits=True)
    server = await started(spec, {"max_num_seqs": 16})
    try:
        limits = {limit.name: limit for limit in await server.live_limits()}
        assert list(limits) == list(LIVE_LIMITS)
        assert {limit.reason for limit in limits.values()} == {None}
        assert all(limit.minimum <= limit.value <= limit.maximum for limit in limits.values())
        assert limits["max_num_active_seqs"].maximum == 16
        assert await server.set_limit("max_num_active_seqs", 3) == 16
        assert await server.set_limit("parked_kv_blocks", 100) == 0
        await asyncio.gather(*(complete(server, prompt) for prompt in range(8)))
        assert await server.set_limit("max_num_active_seqs", 16) == 3
        with pytest.raises(InputError, match=r"max_num_active_seqs.*17"):
            await server.set_limit("max_num_active_seqs", 17)
        with pytest.raises(InputError, match="can't be changed while the server runs"):
            await server.set_limit("max_num_seqs", 4)
        with pytest.raises(InputError, match="can't be changed while the server runs"):
            await server.set_limit("\ud800", 4)
    finally:
        await server.stop()
    assert server.steps_file is not None
    assert b'"ev":"limit"' in server.steps_file.read_bytes()
    assert b'"why":"seat"' in server.steps_file.read_bytes()
    assert check_file(server.steps_file).identical


async def test_that_a_record_goes_where_it_is_wanted_and_none_is_left_of_a_failed_start(
    tmp_path: Path,
) -> None:
    for controls in ({}, {"num_gpu_blocks_override": 20}):
        server = make_server(TargetSpec(kind="embedded", time_scale=20.0, record_steps=True), controls)
        server.steps_folder = tmp_path / "x.steps"
        try:
            await server.start(lambda _: None, lambda _, __: None)
        except ServerFailedError:
            assert controls
        finally:
            await server.stop()
    (record,) = (tmp_path / "x.steps").iterdir()
    assert record.read_bytes().startswith(b'{"ev":"header"')


@pytest.mark.parametrize(
    ("kind", "asked", "recorded"),
    [
        ("embedded", None, True),
        ("embedded", False, False),
        ("container", None, False),
        ("container", True, True),
        ("container", "stats", True),
    ],
)
def test_only_the_embedded_engine_records_by_default_beside_a_bench_file(
    tmp_path: Path, kind: Any, asked: Any, recorded: bool
) -> None:
    spec = TargetSpec(kind=kind, record_steps=asked)
    access = EngineAccess(spec)
    access.open(tmp_path / "x.steps")
    assert (access.steps_file is not None) == recorded
    if asked is None:
        elsewhere = EngineAccess(spec)
        elsewhere.open()
        assert elsewhere.steps_file is None


async def test_that_a_record_which_cannot_be_written_is_refused_before_the_start(tmp_path: Path) -> None:
    server = make_server(TargetSpec(kind="embedded", record_steps=True), {})
    server.steps_folder = tmp_path / "x.steps"
    server.steps_folder.write_text("a file")
    with pytest.raises(InputError, match=r"x\.steps"):
        await server.start(lambda _: None, lambda _, __: None)
    await server.stop()


async def test_that_limits_are_not_changed_unless_the_target_says_so() -> None:
    server = make_server(TargetSpec(kind="embedded"), {})
    assert {limit.reason for limit in await server.live_limits()} == {"live_limits isn't set in [target]"}
    with pytest.raises(InputError, match="live_limits isn't set"):
        await server.set_limit("max_num_active_seqs", 3)


async def test_that_an_attached_server_takes_no_limits() -> None:
    server = make_server(TargetSpec(kind="attached", url="http://127.0.0.1:1"), {})
    assert [limit.name for limit in await server.live_limits()] == list(LIVE_LIMITS)
    with pytest.raises(InputError, match="only a server that this program starts"):
        await server.set_limit("max_num_active_seqs", 3)
    with pytest.raises(InputError, match="record_steps: means nothing for kind 'attached'"):
        check_target(TargetSpec(kind="attached", url="http://127.0.0.1:1", record_steps=True))


async def test_that_a_local_one_gets_our_scheduler_and_keeps_the_users_path(
    vllm_script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = str(vllm_script.parent.parent / "packages")
    spec = TargetSpec(
        kind="local", model="ok", executable=str(vllm_script), record_steps=True, live_limits=True
    )
    server = await started(spec, {})
    try:
        command = server.command or ""
        assert "--scheduler-cls workbench_scheduler.WorkbenchScheduler" in command
        assert f"WORKBENCH_STEPS={server.steps_file}" in command
        (path,) = [word for word in command.split() if word.startswith("PYTHONPATH=")]
        inside, rest = path.removeprefix("PYTHONPATH=").split(":")
        assert (Path(inside) / "workbench_scheduler" / "__init__.py").is_file()
        assert rest == packages
        # The stand-in doesn't load the scheduler.
        with pytest.raises(ServerFailedError, match="takes no orders"):
            await server.live_limits()
    finally:
        await server.stop()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"args": ["--scheduler-cls", "my.Own"]}, "--scheduler-cls and record_steps exclude each other"),
        ({"args": ["--scheduler_cls=my.Own"]}, "exclude each other"),
    ],
)
async def test_that_a_scheduler_of_the_users_own_excludes_ours(
    vllm_script: Path, more: dict[str, Any], words: str
) -> None:
    spec = TargetSpec(kind="local", model="ok", executable=str(vllm_script), record_steps=True, **more)
    with pytest.raises(InputError, match=words):
        await started(spec, {})


async def test_that_a_vllm_without_scheduler_classes_cannot_be_recorded(vllm_script: Path) -> None:
    parser = vllm_script.parent.parent / "packages/vllm/entrypoints/launchers/cli_args.py"
    parser.write_text(parser.read_text().replace(', "--scheduler-cls"', ""))
    spec = TargetSpec(kind="local", model="ok", executable=str(vllm_script), live_limits=True)
    with pytest.raises(InputError, match=r"live_limits: vLLM 9.9.0 has no --scheduler-cls"):
        await started(spec, {})


async def test_that_the_stat_logger_is_put_on_the_path_and_its_absence_is_told(
    vllm_script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = str(vllm_script.parent.parent / "packages")
    monkeypatch.setenv("VLLM_PLUGINS", "mine")
    spec = TargetSpec(kind="local", model="ok", executable=str(vllm_script), record_steps="stats")
    server, lines = make_server(spec, {}), list[str]()
    await server.start(lines.append, lambda _, __: None)
    try:
        words = dict(word.split("=", 1) for word in (server.command or "").split() if "=" in word)
        assert "--scheduler-cls" not in (server.command or "")
        assert words["WORKBENCH_STATS"] == str(server.steps_file)
        assert words["WORKBENCH_STATS"].endswith(".stats.jsonl")
        assert words["VLLM_PLUGINS"] == "mine,workbench_stats"
        ours, entry, rest = words["PYTHONPATH"].split(":")
        assert rest == packages
        (ours_there,) = distributions(path=[entry])
        (plugin,) = ours_there.entry_points
        assert (plugin.group, plugin.name) == ("vllm.stat_logger_plugins", "workbench_stats")
        module, _, attribute = plugin.value.partition(":")
        assert (Path(ours) / f"{module.replace('.', '/')}.py").is_file()
        assert attribute == "WorkbenchStats"
        # The stand-in loads no plug-ins.
        assert [line for line in lines if "did not load this program's stat logger" in line]
    finally:
        await server.stop()


def test_that_the_embedded_engine_has_no_stat_loggers() -> None:
    with pytest.raises(InputError, match="the embedded engine has no stat loggers; true records its steps"):
        check_target(TargetSpec(kind="embedded", record_steps="stats"))
