"""Servers on other machines, written down here while they live: the next start there ends left-overs."""

import hashlib
import os
from pathlib import Path

import msgspec

from workbench.base import Record, write_atomic
from workbench.servers import processes
from workbench.servers.leftovers import rolls_folder
from workbench.servers.processes import ProcessMark


class RemoteRoll(Record, frozen=True, kw_only=True):
    """One server there, and the process here whose business it is."""

    owner: ProcessMark
    host: str
    """As it stands in the target."""
    folder: str
    command: str
    """Secrets masked."""


def write_remote_roll(host: str, folder: str, command: str) -> Path:
    """Write it down for this process; returns where."""
    owner = processes.mark_of(os.getpid())
    assert owner is not None
    name = hashlib.sha256(f"{host} {folder}".encode()).hexdigest()[:16]
    path = rolls_folder() / "ssh" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    roll = RemoteRoll(owner=owner, host=host, folder=folder, command=command)
    write_atomic(path, msgspec.json.encode(roll))
    return path


def remote_left_overs(host: str | None = None) -> list[tuple[Path, RemoteRoll]]:
    """Servers on `host` (None: any) whose owner here has died."""
    found = []
    for path in sorted((rolls_folder() / "ssh").glob("*.json")):
        try:
            roll = msgspec.json.decode(path.read_bytes(), type=RemoteRoll)
        except (OSError, msgspec.DecodeError):
            continue
        if host in (None, roll.host) and processes.find(roll.owner) is None:
            found.append((path, roll))
    return found
