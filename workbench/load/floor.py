"""The last calibration of this machine's load generator, kept so that every run can say what it resolves."""

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from workbench.base import Record, data_folder, utc_now, write_atomic
from workbench.load.calibration import Calibration

_MOST_KEPT = 50


class Floor(Record, frozen=True, kw_only=True):
    """What a calibration found, and of which machine and path."""

    utc: str
    machine: str
    """Name and cores: a calibration says nothing of another machine."""
    path: str | None
    """Host to which the path was measured; None: within this machine."""
    workers: int
    ttft_floor_ms: float
    itl_floor_ms: float
    client_delay_p99_ms: float
    limit_tokens_per_s: float


def keep_floor(found: Calibration, url: str | None) -> Floor | None:
    """Keep it in the user's data folder in the place of the path's earlier one; None: nothing held.

    Raises:
        InputError: the folder can't be written to.
    """
    if not found.limit_tokens_per_s:
        return None
    floor = Floor(
        utc=utc_now(),
        machine=_machine(),
        path=None if url is None else urlsplit(url).hostname,
        workers=found.workers,
        ttft_floor_ms=found.ttft_floor_ms,
        itl_floor_ms=found.itl_floor_ms,
        client_delay_p99_ms=found.client_delay_p99_ms,
        limit_tokens_per_s=found.limit_tokens_per_s,
    )
    others = [known for known in _kept() if (known.machine, known.path) != (floor.machine, floor.path)]
    _file().parent.mkdir(parents=True, exist_ok=True)
    write_atomic(_file(), msgspec.json.format(msgspec.json.encode([*others, floor][-_MOST_KEPT:])))
    return floor


def known_floor(url: str | None = None) -> Floor | None:
    """The last calibration of the path to `url`, else of this machine alone; None: there is none."""
    host = None if url is None else urlsplit(url).hostname
    own = [floor for floor in _kept() if floor.machine == _machine()]
    same_path = [floor for floor in own if floor.path == host]
    within = [floor for floor in own if floor.path is None]
    return next(iter(same_path or within), None)


def _kept() -> Sequence[Floor]:
    try:
        return msgspec.json.decode(_file().read_bytes(), type=list[Floor])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return []  # none yet, or another version's: the next calibration writes it anew


def _file() -> Path:
    return data_folder() / "calibration.json"


def _machine() -> str:
    return f"{platform.node()}, {os.cpu_count()} cores"
