"""What of our servers outlived us: written down while they live, found and ended at the next start.

vLLM's engine and workers survive a killed parent, keep the GPU's memory and belong to nobody. They are told
by pid and start time; no other process is ever touched. With them goes what they leave in shared places.
"""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from workbench.base import UNREADABLE, Record, data_folder, write_atomic
from workbench.servers import processes
from workbench.servers.processes import ProcessMark
from workbench.servers.remains import Remains

_PATIENCE_S = 15.0


class Roll(Record, frozen=True, kw_only=True):
    """Whose processes these are."""

    owner: ProcessMark
    """The process that started the server; while it lives, the server is its business."""
    command: str
    """Secrets masked."""
    processes: tuple[ProcessMark, ...]
    remains: Remains = Remains()


class LeftOver(Record, frozen=True, kw_only=True):
    """A server whose owner is gone."""

    path: Path
    command: str
    living: tuple[ProcessMark, ...]
    """None lives: it has left things behind."""
    remains: Remains = Remains()

    def told(self) -> str:
        """What there is of it."""
        names = (f"{one.name} ({one.pid})" for one in self.living)
        return ", ".join([*names, *self.remains.there()])


def rolls_folder() -> Path:
    """Where the rolls lie."""
    return data_folder() / "servers"


def write_roll(path: Path, command: str, marks: Sequence[ProcessMark], remains: Remains) -> None:
    """Write down what lives for this process, and what will be left of it."""
    owner = processes.mark_of(os.getpid())
    assert owner is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    roll = Roll(owner=owner, command=command, processes=tuple(marks), remains=remains)
    write_atomic(path, msgspec.json.encode(roll))


def find_left_overs() -> list[LeftOver]:
    """Servers of ours whose owner died; rolls of which nothing is left are removed."""
    found = []
    for path in sorted(rolls_folder().glob("*.json")):
        try:
            roll = msgspec.json.decode(path.read_bytes(), type=Roll)
        except (OSError, *UNREADABLE):
            # Half a roll can't be: it is written in one step. A foreign file is left alone.
            continue
        if processes.find(roll.owner) is not None:
            continue
        living = tuple(one for one in roll.processes if processes.find(one) is not None)
        if living or roll.remains.there():
            found.append(LeftOver(path=path, command=roll.command, living=living, remains=roll.remains))
        else:
            path.unlink(missing_ok=True)
    return found


async def end_left_over(left_over: LeftOver) -> list[ProcessMark]:
    """End its processes and remove what they leave; returns those that live even so."""
    stubborn = await processes.end(left_over.living, patience_s=_PATIENCE_S)
    if not stubborn:
        await asyncio.to_thread(left_over.remains.remove)
        left_over.path.unlink(missing_ok=True)
    return stubborn
