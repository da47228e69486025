"""Containers, against a stand-in for docker's command line (no docker is run here)."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from workbench.base import InputError
from workbench.servers import ServerFailedError, TargetSpec, find_remote_orphans, make_server
from workbench.servers import inside as inside_package
from workbench.servers.cleanup import server_records_folder

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the container kind needs Linux")
OWNER = """
import asyncio, sys
from workbench.servers import TargetSpec, make_server

async def main():
    spec = TargetSpec(kind="container", image="vllm:1", model="ok", executable=sys.argv[1])
    server = make_server(spec, {})
    await server.start(lambda _: None, lambda _, __: None)
    print(server.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


class Docker:
    def __init__(self, script: Path, state: Path) -> None:
        self.script = script
        self.state = state
        self.lines: list[str] = []
        self.states: list[tuple[str, str]] = []

    async def start(self, model: str = "ok", image: str = "vllm:1", **more: Any) -> Any:
        spec = TargetSpec(kind="container", image=image, model=model, executable=str(self.script), **more)
        server = make_server(spec, {"max_num_seqs": 4})
        await server.start(self.lines.append, lambda state, detail: self.states.append((state, str(detail))))
        return server

    def last_run(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads((self.state / "last-run").read_text())
        return told

    def containers(self) -> list[str]:
        return [path.name for path in self.state.iterdir() if path.name.startswith("vllm-workbench")]


@pytest.fixture
def docker(vllm_script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Docker:
    state = tmp_path / "docker-state"
    state.mkdir()
    script = tmp_path / "docker"
    script.write_text(f"#!{sys.executable}\n" + Path(__file__).with_name("stand_in_docker.py").read_text())
    script.chmod(0o755)
    monkeypatch.setenv("STAND_IN_DOCKER", str(state))
    monkeypatch.setenv("STAND_IN_VLLM", str(vllm_script))
    return Docker(script, state)


def tree(pid: int) -> list[psutil.Process]:
    return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]


def living(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [one for one in processes if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


async def test_that_a_container_is_pulled_started_read_and_leaves_nothing(
    docker: Docker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret")
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    server = await docker.start(
        gpus="device=0,1",
        shm_size="16g",
        mounts=[f"{tmp_path}:/data:ro"],
        api_key_env="MY_KEY",
        env={"HF_TOKEN": "hf_secret"},
    )
    processes = tree(server.pid)
    assert len(processes) == 2
    assert any("pulling it" in line for line in docker.lines)
    assert (server.state, server.model) == ("ready", "served")
    assert (await server.effective()).num_gpu_blocks == 100
    told = docker.last_run()
    assert told["options"]["--network"] == ["host"]
    assert told["options"]["--gpus"] == ["device=0,1"]
    assert told["options"]["--shm-size"] == ["16g"]
    assert told["options"]["-v"] == [f"{tmp_path}:/data:ro"]
    assert {"VLLM_API_KEY", "HF_TOKEN", "VLLM_SERVER_DEV_MODE"} <= set(told["options"]["-e"])
    assert told["rest"][:4] == ["serve", "ok", "--host", "127.0.0.1"]
    assert "secret" not in (server.command or "")
    assert "secret" not in json.dumps(told)
    await server.stop()
    assert living(processes) == []
    assert docker.containers() == []
    assert find_remote_orphans() == []
    assert "loading weights (100 %)" in [detail for _, detail in docker.states]


async def test_that_a_models_folder_is_mounted_where_it_is(docker: Docker, tmp_path: Path) -> None:
    folder = tmp_path / "my model"
    folder.mkdir()
    server = await docker.start(str(folder))
    await server.stop()
    assert docker.last_run()["options"]["-v"] == [f"{folder}:{folder}:ro"]


def in_words(server: Any, image: str = "vllm:1") -> list[str]:
    """The words of `docker run` up to the image."""
    words = shlex.split(server.command or "")
    return words[words.index("run") : words.index(image)]


async def test_that_steps_and_live_limits_of_a_container_come_through_mounted_folders(
    docker: Docker, tmp_path: Path
) -> None:
    server: Any = make_server(
        TargetSpec(
            kind="container",
            image="vllm:1",
            model="inside",
            executable=str(docker.script),
            record_steps=True,
            live_limits=True,
            env={"PYTHONPATH": "/mine"},
        ),
        {},
    )
    server.steps_folder = tmp_path / "x.steps"
    await server.start(docker.lines.append, lambda _, __: None)
    inside = Path(inside_package.__file__).parent
    limits = server._access.socket.parent
    assert server.steps_file is not None
    assert in_words(server) == [
        *("run", "--rm", "--name", server._name, "--network", "host"),
        *("-v", f"{inside}:/vllm-workbench/inside:ro"),
        *("-v", f"{tmp_path}/x.steps:/vllm-workbench/record"),
        # Whoever copies the command has no folder of ours, which goes with the server.
        *("-v", "$(mktemp -d):/vllm-workbench/limits"),
        *("-e", "VLLM_SERVER_DEV_MODE", "-e", "PROMETHEUS_DISABLE_CREATED_SERIES"),
        *("-e", f"WORKBENCH_STEPS=/vllm-workbench/record/{server.steps_file.name}"),
        *("-e", "WORKBENCH_LIMITS=/vllm-workbench/limits/limits"),
        *("-e", "PYTHONPATH=/vllm-workbench/inside:/mine"),
        *("--entrypoint", "vllm"),
    ]
    assert f"{limits}:/vllm-workbench/limits" in docker.last_run()["options"]["-v"]
    assert docker.last_run()["rest"][-2:] == ["--scheduler-cls", "workbench_scheduler.WorkbenchScheduler"]
    possible = {limit.name: limit.reason for limit in await server.live_limits()}
    assert (possible["max_num_active_seqs"], possible["parked_kv_blocks"]) == (None, "groups")
    assert await server.set_limit("max_num_active_seqs", 3) == 4
    assert await server.clock_ahead_s() == 0.0
    await server.stop()
    assert server.steps_file.read_text() == '{"ev":"reset","t_next":0}\n'
    assert not limits.exists()
    assert docker.containers() == []


async def test_that_a_containers_stat_logger_keeps_what_the_image_sets(
    docker: Docker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    server = make_server(
        TargetSpec(
            kind="container", image="vllm:1", model="ok", executable=str(docker.script), record_steps="stats"
        ),
        {},
    )
    server.steps_folder = Path("x.steps")
    await server.start(docker.lines.append, lambda _, __: None)
    await server.stop()
    words = in_words(server)
    # A relative folder would be the name of a volume.
    assert f"{tmp_path}/x.steps:/vllm-workbench/record" in words
    assert "PYTHONPATH=/vllm-workbench/inside:/vllm-workbench/inside/stat_logger:/opt/image" in words
    assert "VLLM_PLUGINS=its_own,workbench_stats" in words
    assert f"WORKBENCH_STATS=/vllm-workbench/record/{server.steps_file.name}" in words
    assert "--scheduler-cls" not in docker.last_run()["rest"]


async def test_that_nothing_of_ours_is_put_into_a_container_unasked(docker: Docker) -> None:
    server = await docker.start()
    await server.stop()
    assert "-v" not in docker.last_run()["options"]
    assert not [word for word in docker.last_run()["options"]["-e"] if "=" in word or "WORKBENCH" in word]


@pytest.mark.parametrize(
    ("more", "kind", "words"),
    [
        ({"image": "none:1"}, InputError, "image: none:1: .*manifest unknown"),
        ({"image": "plain:1"}, InputError, "image: plain:1: no vLLM in it"),
        ({"gpus": "none-here"}, ServerFailedError, "could not select device driver"),
        ({"model": "port"}, ServerFailedError, "port"),
    ],
)
async def test_that_what_goes_wrong_is_told(
    docker: Docker, more: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        await docker.start(**more)
    assert docker.containers() == []


async def test_that_a_stubborn_container_is_ended(docker: Docker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.servers.container._PATIENCE_S", 0.5)
    server = await docker.start("stubborn")
    processes = tree(server.pid)
    await server.stop()
    assert living(processes[:1]) == []
    for process in living(processes[1:]):
        with suppress(psutil.NoSuchProcess):  # the stand-in has no walls around a container
            process.kill()


async def test_that_an_engine_which_hangs_is_asked_once_and_what_may_live_is_told_with_its_end(
    docker: Docker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.servers.container._ALIVE_S", 0.5)
    server = await docker.start()
    processes = tree(server.pid)
    (docker.state / "hangs").touch()
    await server.stop()
    assert (docker.state / "unanswered").read_text() == "inspect\n"
    state, detail = docker.states[-1]
    assert state == "stopped"
    assert f"still living: container {server._name} " in detail
    assert f"`docker rm -f {server._name}`" in detail
    assert detail in docker.lines
    await server.stop()
    # Only an end that was seen strikes it off the roll that the next start reads.
    assert [path.stem for path in (server_records_folder() / "elsewhere").glob("*.json")] != []
    for process in living(processes):
        process.kill()


async def test_that_an_engine_which_does_not_answer_a_start_is_named_with_what_to_look_at(
    docker: Docker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.servers.container._LOOK_S", 0.5)
    (docker.state / "hangs").touch()
    with pytest.raises(InputError, match=r"no answer within 0\.5 s: see whether `docker ps` answers"):
        await docker.start()


@pytest.fixture
def enforced(docker: Docker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine where SELinux hides what isn't labelled for containers."""
    (docker.state / "enforcing").write_text("1\n")
    monkeypatch.setattr("workbench.servers.container._ENFORCE", docker.state / "enforcing")


@pytest.mark.usefixtures("enforced")
async def test_that_mounts_which_selinux_hides_are_told_with_the_option_that_helps(
    docker: Docker, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"Permission denied; SELinux is enforcing.*label=disable"):
        await docker.start()
    server = await docker.start(str(tmp_path), security_opt=["label=disable"])
    await server.stop()
    assert docker.last_run()["options"]["--security-opt"] == ["label=disable"]
    assert docker.last_run()["options"]["-v"] == [f"{tmp_path}:{tmp_path}:ro"]
    with pytest.raises(
        ServerFailedError, match=r"may not read or write /m/config.json.*SELinux is enforcing"
    ):
        await docker.start("locked", security_opt=["label=disable"])


async def test_that_selinux_is_no_reason_where_it_is_not_enforced(docker: Docker) -> None:
    with pytest.raises(ServerFailedError, match=r"may not read or write /m/config.json: [^;]*; in a") as told:
        await docker.start("locked")
    assert "SELinux" not in str(told.value)


def left_by_a_killed_owner(docker: Docker) -> int:
    words = [sys.executable, "-c", OWNER, str(docker.script)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        clients = psutil.Process(owner.pid).children()
        os.kill(owner.pid, signal.SIGKILL)
        for client in clients:
            with suppress(psutil.NoSuchProcess):
                client.kill()
    return pid


async def test_that_what_a_killed_owner_left_is_ended_by_the_next_start(docker: Docker) -> None:
    orphan = tree(left_by_a_killed_owner(docker))
    assert len(living(orphan)) == 2
    (record,) = [each for _, each in find_remote_orphans()]
    assert record.kind == "container"
    server = await docker.start()
    assert living(orphan[:1]) == []
    assert any("ending what an earlier run left behind" in line for line in docker.lines)
    await server.stop()
    assert find_remote_orphans() == []
    for process in living(orphan[1:]):
        with suppress(psutil.NoSuchProcess):  # the stand-in's child may be going by itself
            process.kill()


def test_that_a_machine_without_an_engine_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="none of: docker, podman"):
        make_server(TargetSpec(kind="container", image="i", model="m"), {})


@pytest.mark.parametrize("engine", ["docker", "podman"])
def test_that_the_engine_that_is_there_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: str
) -> None:
    (tmp_path / engine).write_text("")
    (tmp_path / engine).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    make: Callable[..., Any] = make_server
    assert make(TargetSpec(kind="container", image="i", model="m"), {})._engine.command.endswith(engine)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 0", "`docker image inspect` printed no identity; it said: nothing"),
        ("printf '\\252\\273'", "`docker image inspect` printed no identity; it said: nothing"),
        (
            '[ "$1" = image ] && echo sha256:abc || echo ../../x',
            "`docker run vllm:1` printed no version of vLLM; it said: nothing",
        ),
        ('[ "$1" = image ] && echo sha256:abc || echo 0.32.0', "`docker run vllm:1` wrote no flags"),
    ],
)
async def test_that_an_engine_that_answers_rubbish_is_named_with_the_image(
    tmp_path: Path, script: str, said: str
) -> None:
    engine = tmp_path / "docker"
    engine.write_text(f"#!/bin/sh\n{script}\n")
    engine.chmod(0o755)
    spec = TargetSpec(kind="container", image="vllm:1", model="ok", executable=str(engine))
    server = make_server(spec, {})
    with pytest.raises(InputError, match=rf"^\[target\] image: vllm:1: {said}$"):
        await server.start(lambda _: None, lambda _, __: None)
