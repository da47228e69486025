"""Stored calibrations of the load generator, so that every run has its measurement resolution."""

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from workbench.base import (
    UNREADABLE,
    Record,
    data_folder,
    parse_utc,
    require_writable_folder,
    utc_now,
    write_atomic,
)
from workbench.load.calibration.calibrate import Calibration

_MOST_KEPT = 50
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_FRESH = timedelta(days=1)
_MOST_MS = 3_600_000.0
_MOST_TOKENS = 1e9
"""Larger values in a file don't come from a calibration."""


class Resolution(Record, frozen=True, kw_only=True):
    """Measurement resolution of a machine and a path, found by a calibration."""

    utc: str
    machine: str
    """Machine of the load workers: name and cores, or over SSH `ssh://HOST`."""
    path: str | None
    """Host at the end of the path, with a tunnel `ssh://HOST`; None: within that machine."""
    workers: int
    ttft_floor_ms: float
    itl_floor_ms: float
    client_delay_p99_ms: float
    limit_tokens_per_s: float
    path_ms: float | None = None
    """Time that the path adds to every TTFT; None: no path, or unknown."""


def store_resolution(found: Calibration, url: str | None, *, machine: str | None = None) -> Resolution | None:
    """Store a calibration in the user's data folder instead of the path's earlier one; None: no rate held.

    `url` is the server's, or `ssh://HOST` through a tunnel; `machine` is that of the load workers, None: this
    one.

    Raises:
        Refusal: the folder can't be written to.
    """
    ttft, itl, delay = found.ttft_floor_ms, found.itl_floor_ms, found.client_delay_p99_ms
    if not found.limit_tokens_per_s or ttft is None or itl is None or delay is None:
        return None
    machine, path = machine or _machine(), _path(url)
    limit = found.limit_tokens_per_s
    if found.limited_by != "client":
        # The client was not the limit: an earlier, higher limit still holds.
        earlier = [known for known in _kept() if (known.machine, known.path) == (machine, path)]
        limit = max([limit, *(known.limit_tokens_per_s for known in earlier)])
    resolution = Resolution(
        utc=utc_now(),
        machine=machine,
        path=path,
        workers=found.workers,
        ttft_floor_ms=ttft,
        itl_floor_ms=itl,
        client_delay_p99_ms=delay,
        limit_tokens_per_s=limit,
        path_ms=found.path_ms,
    )
    others = [
        known for known in _kept() if (known.machine, known.path) != (resolution.machine, resolution.path)
    ]
    require_writable_folder(_file().parent)
    write_atomic(_file(), msgspec.json.format(msgspec.json.encode([*others, resolution][-_MOST_KEPT:])))
    return resolution


def stored_resolution(url: str | None = None, *, machine: str | None = None) -> Resolution | None:
    """Return the last calibration of the path to `url`, else of the machine alone; None: there is none.

    Both arguments are as in `store_resolution`.
    """
    return next(iter(_known(url, machine)), None)


def recent_resolution(url: str | None = None, *, machine: str | None = None) -> Resolution | None:
    """Return the stored resolution if it is at most 24 hours old."""
    return next((resolution for resolution in _known(url, machine) if _is_fresh(resolution)), None)


def path_not_measured(resolution: Resolution, url: str | None) -> str | None:
    """Return the host of `url` if the resolution lacks the path to it; None: nothing is missing."""
    host = None if url is None else urlsplit(url).hostname
    return None if host is None or host in _LOOPBACK or resolution.path is not None else host


def _known(url: str | None, machine: str | None) -> list[Resolution]:
    """Return resolutions of the path to `url` first, then of the machine alone."""
    own = [resolution for resolution in _kept() if resolution.machine == (machine or _machine())]
    return [
        resolution
        for path in dict.fromkeys((_path(url), None))
        for resolution in own
        if resolution.path == path
    ]


def _path(url: str | None) -> str | None:
    """Return the host; of a tunnel all of it: user and port may lead to another machine."""
    if url is None or url.startswith("ssh://"):
        return url
    return urlsplit(url).hostname


def _is_fresh(resolution: Resolution) -> bool:
    return timedelta(0) <= datetime.now(UTC) - parse_utc(resolution.utc) < _FRESH


def _kept() -> Sequence[Resolution]:
    try:
        resolutions = msgspec.json.decode(_file().read_bytes(), type=list[Resolution])
    except (OSError, *UNREADABLE):
        return []  # none yet, or of another version: the next calibration replaces it
    return [resolution for resolution in resolutions if _is_sane(resolution)]


def _is_sane(resolution: Resolution) -> bool:
    """Return whether a calibration can have found these values; others in the file are ignored."""
    found = (
        resolution.ttft_floor_ms,
        resolution.itl_floor_ms,
        resolution.client_delay_p99_ms,
        abs(resolution.path_ms or 0.0),
    )
    if not (all(0 <= ms <= _MOST_MS for ms in found) and 0 < resolution.limit_tokens_per_s <= _MOST_TOKENS):
        return False
    try:
        return parse_utc(resolution.utc).tzinfo is not None
    except (ValueError, OverflowError):
        return False


def _file() -> Path:
    return data_folder() / "calibration.json"


def _machine() -> str:
    return f"{platform.node()}, {os.cpu_count()} cores"
