"""The cores that this process and its children may use, by affinity and control group quota."""

import os
from pathlib import Path

import psutil

_CGROUPS = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")


def allowed_cores() -> list[int]:
    """Return the numbers of the cores that this process may run on."""
    affinity = getattr(os, "sched_getaffinity", None)
    if affinity is not None:
        return sorted(affinity(0))
    return list(range(psutil.cpu_count() or 1))


def usable_cores(cgroups: Path = _CGROUPS, own: Path = _OWN) -> float:
    """Return the number of cores whose time this process may use; a quota can be a fraction."""
    quota = cgroup_quota(cgroups, own)
    allowed = float(len(allowed_cores()))
    return allowed if quota is None else min(allowed, quota)


def cgroup_quota(cgroups: Path, own: Path) -> float | None:
    """Return the cores that the control groups (version 2) of this process leave it; None: no limit."""
    try:
        path = own.read_text().strip().rpartition("::")[2].lstrip("/")
    except OSError:
        return None
    group = cgroups / path
    # In a container the path may be the host's; its own group is then the root that it sees.
    folders = {cgroups, *(each for each in (group, *group.parents) if each.is_relative_to(cgroups))}
    quotas = [quota for folder in folders if (quota := _quota(folder / "cpu.max")) is not None]
    return min(quotas, default=None)


def _quota(file: Path) -> float | None:
    try:
        most, period = file.read_text().split()
        return None if most == "max" else int(most) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None
