"""Server processes of ours that outlived us: written down while they live, found and ended at the next start.

vLLM's engine and workers survive a killed parent, keep the GPU's memory and belong to nobody. They are told
by pid and start time; no other process is ever touched.
"""

import os
from pathlib import Path

import msgspec

from workbench.base import UNREADABLE, Record, data_folder, write_atomic
from workbench.servers import processes
from workbench.servers.processes import ProcessMark

_PATIENCE_S = 15.0


class Roll(Record, frozen=True, kw_only=True):
    """Whose processes these are."""

    owner: ProcessMark
    """The process that started the server; while it lives, the server is its business."""
    command: str
    """Secrets masked."""
    processes: tuple[ProcessMark, ...]


class LeftOver(Record, frozen=True, kw_only=True):
    """A server whose owner is gone."""

    path: Path
    command: str
    living: tuple[ProcessMark, ...]


def rolls_folder() -> Path:
    """Where the rolls lie."""
    return data_folder() / "servers"


def write_roll(path: Path, command: str, marks: list[ProcessMark]) -> None:
    """Write down what lives for this process."""
    owner = processes.mark_of(os.getpid())
    assert owner is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, msgspec.json.encode(Roll(owner=owner, command=command, processes=tuple(marks))))


def find_left_overs() -> list[LeftOver]:
    """Servers of ours whose owner died; rolls whose processes have all ended are removed."""
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
        if living:
            found.append(LeftOver(path=path, command=roll.command, living=living))
        else:
            path.unlink(missing_ok=True)
    return found


async def end_left_over(left_over: LeftOver) -> list[ProcessMark]:
    """End its processes; returns those that live even so."""
    stubborn = await processes.end(left_over.living, patience_s=_PATIENCE_S)
    if not stubborn:
        left_over.path.unlink(missing_ok=True)
    return stubborn
