"""The last calibrations of the load generator, kept so that every run can say what it resolves."""

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
"""Hours of error and rates that no machine has: what a file says beyond is no calibration's."""


class Resolution(Record, frozen=True, kw_only=True):
    """What a calibration found, and of which machine and path."""

    utc: str
    machine: str
    """Of the load workers, name and cores: a calibration says nothing of another machine. Of workers over SSH
    their `ssh://HOST`."""
    path: str | None
    """Host to which the path was measured, with a tunnel `ssh://HOST`; None: within their machine."""
    workers: int
    ttft_floor_ms: float
    itl_floor_ms: float
    client_delay_p99_ms: float
    limit_tokens_per_s: float
    path_ms: float | None = None
    """What the path adds to every TTFT; None: no path, or not known."""


def store_resolution(found: Calibration, url: str | None, *, machine: str | None = None) -> Resolution | None:
    """Keep it in the user's data folder in the place of the path's earlier one; None: nothing held.

    `url` is the server's, or `ssh://HOST` of one that is reached through a tunnel; `machine` says where the
    load workers ran, None: here.

    Raises:
        Refusal: the folder can't be written to.
    """
    ttft, itl, delay = found.ttft_floor_ms, found.itl_floor_ms, found.client_delay_p99_ms
    if not found.limit_tokens_per_s or ttft is None or itl is None or delay is None:
        return None
    machine, path = machine or _machine(), _path(url)
    limit = found.limit_tokens_per_s
    if found.limited_by != "client":
        # It ended while all was well with the client: it takes nothing from an earlier one that went further.
        earlier = [known for known in _kept() if (known.machine, known.path) == (machine, path)]
        limit = max([limit, *(known.limit_tokens_per_s for known in earlier)])
    floor = Resolution(
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
    others = [known for known in _kept() if (known.machine, known.path) != (floor.machine, floor.path)]
    require_writable_folder(_file().parent)
    write_atomic(_file(), msgspec.json.format(msgspec.json.encode([*others, floor][-_MOST_KEPT:])))
    return floor


def stored_resolution(url: str | None = None, *, machine: str | None = None) -> Resolution | None:
    """The last calibration of the path to `url`, else of the machine alone; None: there is none.

    Both arguments are as in `store_resolution`.
    """
    return next(iter(_known(url, machine)), None)


def recent_resolution(url: str | None = None, *, machine: str | None = None) -> Resolution | None:
    """As `stored_resolution`, of the last 24 hours."""
    return next((floor for floor in _known(url, machine) if _is_fresh(floor)), None)


def path_not_measured(floor: Resolution, url: str | None) -> str | None:
    """The host of `url` where the path to it is not in the floor; None: it is, or nothing lies between."""
    host = None if url is None else urlsplit(url).hostname
    return None if host is None or host in _LOOPBACK or floor.path is not None else host


def _known(url: str | None, machine: str | None) -> list[Resolution]:
    """Of the path to `url` first, then of the machine alone."""
    own = [floor for floor in _kept() if floor.machine == (machine or _machine())]
    return [floor for path in dict.fromkeys((_path(url), None)) for floor in own if floor.path == path]


def _path(url: str | None) -> str | None:
    """A tunnel's host whole: its user and port may lead to another machine, or its alias be one's own."""
    if url is None or url.startswith("ssh://"):
        return url
    return urlsplit(url).hostname


def _is_fresh(floor: Resolution) -> bool:
    return timedelta(0) <= datetime.now(UTC) - parse_utc(floor.utc) < _FRESH


def _kept() -> Sequence[Resolution]:
    try:
        floors = msgspec.json.decode(_file().read_bytes(), type=list[Resolution])
    except (OSError, *UNREADABLE):
        return []  # none yet, or another version's: the next calibration writes it anew
    return [floor for floor in floors if _is_sane(floor)]


def _is_sane(floor: Resolution) -> bool:
    """Whether a calibration can have found that; what else stands in the file is as if it weren't there."""
    found = (floor.ttft_floor_ms, floor.itl_floor_ms, floor.client_delay_p99_ms, abs(floor.path_ms or 0.0))
    if not (all(0 <= ms <= _MOST_MS for ms in found) and 0 < floor.limit_tokens_per_s <= _MOST_TOKENS):
        return False
    try:
        return parse_utc(floor.utc).tzinfo is not None
    except (ValueError, OverflowError):
        return False


def _file() -> Path:
    return data_folder() / "calibration.json"


def _machine() -> str:
    return f"{platform.node()}, {os.cpu_count()} cores"
