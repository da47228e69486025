"""The end of a server elsewhere is waited for as long as it can come, and no longer."""

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from workbench.servers import ServerFailedError
from workbench.servers.run_command import CommandOutput
from workbench.servers.ssh import remote_child
from workbench.servers.ssh.remote_child import RemoteChild


class Link:
    """A connection that goes as told; it never comes to life in `hangs`, and drops so many times."""

    host = "box"

    def __init__(self, *, hangs: str = "", drops: int = 0) -> None:
        self.hangs, self.drops = hangs, drops
        self.calls: list[str] = []

    async def open(self) -> None:
        self.calls.append("open")
        if self.hangs == "open":
            await asyncio.Event().wait()

    async def call(
        self, words: Sequence[str], *, stdin: bytes | None = None, timeout_s: float = 60.0
    ) -> CommandOutput:
        del stdin
        self.calls.append(words[2])
        if self.drops:
            self.drops -= 1
            raise ServerFailedError("servers.ssh_dropped", host="box", cause="gone")
        if words[2] == self.hangs:
            await asyncio.sleep(timeout_s / 1000)
            raise ServerFailedError("servers.ssh_no_answer", host="box", seconds=timeout_s)
        told: dict[str, Any] = {"living": []} if words[2] == "stop" else {}
        return CommandOutput(exit_code=0, output=msgspec.json.encode(told), last_error="")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousandths of the waits."""
    monkeypatch.setattr(remote_child, "_AGAIN_S", (0.001, 0.001, 0.001, 0.001))


async def ended(link: Link, patience_s: float = 30.0) -> list[str]:
    remote: Any = RemoteChild(link, ["python3", "keeper.py"], "folder", lambda _: None)  # type: ignore[arg-type]
    remote.pid = 77
    return [f"{one.name} {one.pid}" for one in await remote.end(patience_s=patience_s)]


async def test_that_a_machine_which_does_not_answer_is_given_up_with_what_may_live(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote_child, "_REACH_S", 0.02)
    link = Link(hangs="open")
    assert await ended(link) == ["a server on box, which isn't reachable 77"]
    assert link.calls == ["open"]


async def test_that_a_keeper_which_hangs_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    link = Link(hangs="stop")
    monkeypatch.setattr(remote_child, "_STOP_S", 0.0)
    assert len(await ended(link, patience_s=0.0)) == 1
    assert link.calls == ["open", "stop"]


async def test_that_a_connection_which_drops_is_opened_anew() -> None:
    link = Link(drops=2)
    assert await ended(link) == []
    assert link.calls == ["open", "stop", "open", "stop", "open", "stop", "remove"]
