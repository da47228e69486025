"""This machine, as scorecard columns."""

import platform
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from workbench.base import is_loopback
from workbench.servers import TargetSpec

_CPUINFO = Path("/proc/cpuinfo")
_HERE = ("embedded", "local")
"""Kinds of target whose server runs on this machine; an attached address may be a tunnel."""


_PLACES = {"embedded": "here", "local": "here", "container": "here", "ssh": "tunnel", "attached": "network"}
"""Place of the load by the target's kind."""


def host_facts(target: TargetSpec) -> dict[str, Any]:
    """Return `load_place`, and for a local server `host_cpu`, `host_cores` (physical), `host_ram_gib`."""
    place = _place(target)
    if target.kind not in _HERE:
        return {"load_place": place}
    columns = {
        "load_place": place,
        "host_cpu": _processor(),
        "host_cores": psutil.cpu_count(logical=False) or psutil.cpu_count(),
        "host_ram_gib": round(psutil.virtual_memory().total / 2**30, 1),
    }
    return {name: value for name, value in columns.items() if value}


def _place(target: TargetSpec) -> str:
    """Return where the load workers run, or what lies between them and the server."""
    if target.load_python is not None:
        return "there"
    if target.kind == "attached" and is_loopback(urlsplit(target.url or "").hostname):
        return "here"
    return _PLACES[target.kind]


def _processor() -> str:
    """Return the processor's product name, or its architecture if the system doesn't report one."""
    found = ""
    with suppress(OSError, subprocess.SubprocessError):
        if sys.platform == "darwin":
            command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
            found = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout
        elif _CPUINFO.exists():
            found = _model_name(_CPUINFO.read_text(errors="replace"))
    return found.strip() or platform.processor() or platform.machine()


def _model_name(cpuinfo: str) -> str:
    """Return the name in Linux's table; empty if it has no such line, as on Arm."""
    lines = (line.partition(":") for line in cpuinfo.splitlines())
    return next((value.strip() for key, _, value in lines if key.strip() == "model name"), "")
