"""Servers in containers and on other machines, written down here while they live.

Whoever starts the next one in the same place ends those whose owner has died.
"""

import hashlib
import os
from pathlib import Path
from typing import Literal

import msgspec

from workbench.base import UNREADABLE, Record, write_atomic
from workbench.servers import processes
from workbench.servers.leftovers import rolls_folder
from workbench.servers.processes import ProcessMark

Elsewhere = Literal["ssh", "container"]


class ElsewhereRoll(Record, frozen=True, kw_only=True):
    """One server elsewhere, and the process here whose business it is."""

    owner: ProcessMark
    kind: Elsewhere
    place: str
    """The host as it stands in the target; the command of the container engine."""
    name: str
    """There: the folder of the server's keeper; the container's name."""
    command: str
    """Secrets masked."""


def write_roll_elsewhere(kind: Elsewhere, place: str, name: str, command: str) -> Path:
    """Write it down for this process; returns where."""
    owner = processes.mark_of(os.getpid())
    assert owner is not None
    digest = hashlib.sha256(f"{kind} {place} {name}".encode()).hexdigest()[:16]
    path = rolls_folder() / "elsewhere" / f"{digest}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    roll = ElsewhereRoll(owner=owner, kind=kind, place=place, name=name, command=command)
    write_atomic(path, msgspec.json.encode(roll))
    return path


def left_overs_elsewhere(
    kind: Elsewhere | None = None, place: str | None = None
) -> list[tuple[Path, ElsewhereRoll]]:
    """Servers (None: of any kind, in any place) whose owner here has died."""
    found = []
    for path in sorted((rolls_folder() / "elsewhere").glob("*.json")):
        try:
            roll = msgspec.json.decode(path.read_bytes(), type=ElsewhereRoll)
        except (OSError, *UNREADABLE):
            continue
        matches = kind in (None, roll.kind) and place in (None, roll.place)
        if matches and processes.find(roll.owner) is None:
            found.append((path, roll))
    return found
