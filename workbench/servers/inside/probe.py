"""Samples a machine reached over SSH, and the server's processes on it.

Runs there with any Python from 3.9 on, on Linux; self-contained but for `keeper` beside it.

    probe.py FOLDER SECONDS QUERY_GPUS QUERY_PROCESSES FORMAT

Every SECONDS one line of JSON on standard output, until standard input ends. FOLDER is the keeper's of the
server; the QUERYs are arguments of nvidia-smi. Totals are running ones: a line that is lost loses nothing.

    {"mono": s, "cpu": [busy, whole], "net": [received, sent], "disk": read or null,
     "processes": [[pid, name, first?, cpu seconds], …], "clients": [[pid, cpu seconds], …],
     "in_processes": cpu seconds, "ours": cpu seconds, "cores": n,
     "gpus": text or null, "holding": text or null}

The clients are load workers of this program that run there, as the same user. `in_processes` is what all
processes used, `ours` what the server, the clients and this probe used with their children that have ended.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_TICKS = float(os.sysconf("SC_CLK_TCK"))
_SECTOR = 512
"""Bytes, whatever the disk's own are (Linux, iostats)."""
_SMI_S = 10.0
_WORKER = b"workbench.load.worker"
_keeper: Any = importlib.import_module(f"{__package__}.keeper" if __package__ else "keeper")
"""The file beside this one; the folder of a script is the first place where modules are sought."""


def cpu() -> list[float]:
    """Return busy and total CPU seconds of all cores; user time includes guests."""
    fields = [float(one) for one in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    whole = sum(fields) / _TICKS
    return [whole - (fields[3] + fields[4]) / _TICKS, whole]


def in_processes() -> float:
    """Return the CPU seconds of all processes, without interrupts."""
    user, nice, system, _, _, _, _, stolen = [
        float(one) for one in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    ]
    return (user + nice + system + stolen) / _TICKS


def ours(pids: list[int]) -> float:
    """Return the CPU seconds of these processes and this one, including their ended children."""
    used = (cpu_s(pid, with_ended_children=True) for pid in {os.getpid(), *pids})
    return sum(one for one in used if one is not None)


def net() -> list[int]:
    """Return bytes received and sent, without the loopback."""
    received = sent = 0
    for line in Path("/proc/net/dev").read_text().splitlines()[2:]:
        name, _, rest = line.partition(":")
        if name.strip() != "lo":
            fields = rest.split()
            received, sent = received + int(fields[0]), sent + int(fields[8])
    return [received, sent]


def disk() -> int | None:
    """Return bytes read from whole disks; None if unknown."""
    try:
        rows = [line.split() for line in Path("/proc/diskstats").read_text().splitlines()]
    except OSError:
        return None
    whole = [row for row in rows if Path("/sys/block", row[2].replace("/", "!")).exists()]
    real = [row for row in whole if not row[2].startswith(("loop", "ram", "dm-", "md"))]
    return sum(int(row[5]) for row in real) * _SECTOR


def processes(folder: Path) -> list[list[Any]]:
    """Return the server's processes, each with its CPU seconds."""
    try:
        root = _keeper.read(folder / "roll")["root"]
    except (OSError, ValueError):
        return []
    found = []
    for pid, _, name in _keeper.with_descendants(root):
        used = cpu_s(pid)
        if used is not None:
            found.append([pid, name, pid == root, used])
    return found


def clients() -> list[list[Any]]:
    """Return the load workers, each with its CPU seconds."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            ours = entry.name.isdigit() and entry.stat().st_uid == os.getuid()
            if not (ours and _WORKER in (entry / "cmdline").read_bytes()):
                continue
        except OSError:
            continue
        used = cpu_s(int(entry.name))
        if used is not None:
            found.append([int(entry.name), used])
    return found


def cpu_s(pid: int, *, with_ended_children: bool = False) -> float | None:
    """Return the CPU seconds of a process; None if it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return sum(int(one) for one in fields[11 : 15 if with_ended_children else 13]) / _TICKS


def ask_smi(smi: str | None, query: str, form: str) -> str | None:
    """Return the output of nvidia-smi; None if it is missing or fails."""
    if smi is None:
        return None
    try:
        said = subprocess.run([smi, query, form], capture_output=True, text=True, check=False, timeout=_SMI_S)
    except (OSError, subprocess.TimeoutExpired):
        return None
    # A lost card makes it fail, but it prints the others.
    return said.stdout or None


def look(folder: Path, smi: str | None, queries: list[str]) -> dict[str, Any]:
    """Return one line."""
    server, load = processes(folder), clients()
    return {
        "mono": time.monotonic(),
        "cpu": cpu(),
        "in_processes": in_processes(),
        "ours": ours([one[0] for one in (*server, *load)]),
        "cores": os.cpu_count() or 1,
        "net": net(),
        "disk": disk(),
        "processes": server,
        "clients": load,
        "gpus": ask_smi(smi, queries[0], queries[2]),
        "holding": ask_smi(smi, queries[1], queries[2]),
    }


def main(words: list[str]) -> None:
    """Print lines until standard input ends."""
    folder, seconds, smi = Path(words[0]), float(words[1]), shutil.which("nvidia-smi")
    while True:
        sys.stdout.write(json.dumps(look(folder, smi, words[2:5])) + "\n")
        sys.stdout.flush()
        if select.select([sys.stdin], [], [], seconds)[0] and not os.read(0, 4096):
            return


if __name__ == "__main__":
    main(sys.argv[1:])
