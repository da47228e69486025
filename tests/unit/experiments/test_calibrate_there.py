"""A session on another machine over SSH measures the way that its load will take, through a real sshd."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.unit.experiments.test_load_there import linked, needs_sshd
from tests.unit.servers.sshd import Sshd
from workbench.base import InputError, WorkbenchError
from workbench.experiments.run import remote_workers as null_there
from workbench.experiments.run.channel import UserRequests
from workbench.experiments.run.client_calibration import calibrate_first
from workbench.experiments.run.events import ClientCalibrated, Event
from workbench.experiments.run.remote_workers import calibrate_remotely
from workbench.load import NULL_SERVER, WorkerHost
from workbench.load.calibration import calibrate as calibration
from workbench.load.calibration import rates as levels
from workbench.servers import TargetSpec
from workbench.servers.ssh.connection import SshConnection

pytestmark = needs_sshd
__all__ = ["linked"]


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """A moment of load that a busy machine can't fail."""
    monkeypatch.setattr(calibration, "QUICK_RATES", (10_000,))
    monkeypatch.setattr(calibration, "QUICK_S", 0.1)
    monkeypatch.setattr(calibration, "_HOPELESS_DELAY_MS", 1e9)
    monkeypatch.setattr(calibration, "_DRAIN_S", 60.0)
    monkeypatch.setattr(levels, "MOST_ERROR_MS", 1e9)


def null_servers() -> list[int]:
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if any("A server that only keeps time" in word for word in process.info["cmdline"] or ())
        and "sh" not in Path((process.info["cmdline"] or [""])[0]).name
    ]


async def none_left() -> None:
    """Until the null server has ended, which it does with its connection."""
    async with asyncio.timeout(60):
        while null_servers():  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("load_python", [None, sys.executable])
async def test_that_the_way_to_a_server_there_is_measured_kept_and_stored(
    linked: tuple[SshConnection, Sshd], load_python: str | None
) -> None:
    host = linked[1].host
    target = TargetSpec(kind="ssh", host=host, model="m", load_python=load_python)
    events: list[Event] = []
    stored: list[dict[str, object]] = []
    await calibrate_first(target, events.append, UserRequests(), stored.append)
    assert [event.state for event in events if isinstance(event, ClientCalibrated)] == ["running", "done"], (
        events
    )
    (columns,) = stored
    place = f"load workers on {host}" if load_python else f"through the tunnel to {host}"
    assert columns["calibrated_path"] == place
    assert columns["client_floor_ttft_ms"]
    await none_left()


async def test_that_load_workers_there_send_to_the_null_server_there_and_not_through_the_tunnel(
    linked: tuple[SshConnection, Sshd], monkeypatch: pytest.MonkeyPatch
) -> None:
    urls: list[str] = []
    cores: list[int] = []
    real = null_there.remote_workers

    async def noted(machine: Any, python: str) -> object:
        hire = await real(machine, python)

        async def start(job: object) -> object:
            urls.append(machine.url)
            return await hire.start(job)

        cores.append(hire.cores)
        return WorkerHost(start, hire.cores)

    monkeypatch.setattr(null_there, "remote_workers", noted)
    target = TargetSpec(kind="ssh", host=linked[1].host, model="m", load_python=sys.executable)
    found = await calibrate_remotely(target)
    assert found.levels[0].requests >= 368
    (url,) = urls
    assert cores == [len(os.sched_getaffinity(0))]
    assert url.startswith("http://127.0.0.1:")


async def test_that_a_python_there_that_can_not_run_it_is_told_with_its_last_words(
    linked: tuple[SshConnection, Sshd], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = TargetSpec(kind="ssh", host=linked[1].host, model="m")
    monkeypatch.setattr(null_there, "_PYTHON", "no-such-python")
    with pytest.raises(WorkbenchError, match=r"didn't start under no-such-python: .*not found"):
        await calibrate_remotely(target)
    monkeypatch.setattr(null_there, "_PYTHON", "echo")
    with pytest.raises(WorkbenchError, match="didn't start under echo"):
        await calibrate_remotely(target)
    with pytest.raises(InputError, match="has vllm-workbench , this is"):
        await calibrate_remotely(TargetSpec(kind="ssh", host=target.host, model="m", load_python="true"))
    monkeypatch.setattr(null_there, "_START_S", 0.2)
    monkeypatch.setattr(null_there, "_PYTHON", "cat")
    silent = NULL_SERVER.with_name("__init__.py")
    monkeypatch.setattr(null_there, "NULL_SERVER", silent)
    with pytest.raises(WorkbenchError, match="didn't start under cat"):
        await calibrate_remotely(target)


async def test_that_a_stop_while_it_is_measured_there_leaves_nothing_behind(
    linked: tuple[SshConnection, Sshd], monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = UserRequests()

    async def never(**_: object) -> None:
        assert null_servers()
        requests.trigger("stop")
        await asyncio.Event().wait()

    monkeypatch.setattr(null_there, "calibrate_quickly", never)
    events: list[Event] = []
    await calibrate_first(
        TargetSpec(kind="ssh", host=linked[1].host, model="m"), events.append, requests, lambda _: None
    )
    assert [event.state for event in events if isinstance(event, ClientCalibrated)] == ["running", "failed"]
    await none_left()
