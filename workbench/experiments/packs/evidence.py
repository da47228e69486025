"""The evidence of a vendor's machine, stored beside the results: what no request shows."""

import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec

from workbench import __version__
from workbench.base import UNREADABLE, Record, mask_sentence, now, utc_now
from workbench.experiments.run.host_columns import host_facts
from workbench.load import Resolution, stored_resolution
from workbench.servers import TargetSpec
from workbench.telemetry import open_nvml

EVIDENCE_FILE = "evidence.json"
_SYNCHRONIZED = ("timedatectl", "show", "--property=NTPSynchronized", "--value")


class GpuIdentity(Record, frozen=True, kw_only=True):
    """One card as its driver names it."""

    index: int
    name: str
    memory_total: int | None
    power_cap_w: float | None
    driver: str | None


class SessionEvidence(Record, frozen=True, kw_only=True):
    """One carrying out of an order; an order that was resumed has several."""

    program: str
    system: str
    python: str
    order_sha256: str
    started_utc: str
    ended_utc: str
    clock_step_s: float
    """Drift between wall time and monotonic time over the session."""
    utc_offset_s: int
    """The machine's time zone."""
    clock_synchronized: bool | None
    """True if the system reports that its clock follows a time server; None: it reports nothing."""
    host: dict[str, Any]
    gpus: list[GpuIdentity]
    calibration: Resolution | None
    """The load generator's own error on this machine."""
    checks: list[dict[str, Any]]
    """The findings of `doctor`."""


class SessionClock:
    """The evidence of a session that is under way."""

    def __init__(self, order_sha256: str, target: TargetSpec, checks: Sequence[dict[str, Any]]) -> None:
        self._order = order_sha256
        self._target = target
        self._checks = [_masked(check) for check in checks]
        self._started = utc_now()
        self._wall, self._own = time.time(), now()

    def finish(self) -> SessionEvidence:
        """Return the evidence of the session that ends now."""
        return SessionEvidence(
            program=f"vLLM Workbench {__version__}",
            system=platform.platform(),
            python=sys.version.split()[0],
            order_sha256=self._order,
            started_utc=self._started,
            ended_utc=utc_now(),
            clock_step_s=(time.time() - self._wall) - (now() - self._own),
            utc_offset_s=time.localtime().tm_gmtoff,
            clock_synchronized=_synchronized(),
            host=host_facts(self._target),
            gpus=_gpus(),
            calibration=stored_resolution(),
            checks=self._checks,
        )


def _masked(check: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of a check without secrets."""
    return {name: mask_sentence(value) if isinstance(value, str) else value for name, value in check.items()}


def _synchronized() -> bool | None:
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(_SYNCHRONIZED, capture_output=True, text=True, timeout=5, check=True)
        return {"yes": True, "no": False}.get(done.stdout.strip())
    return None


def _gpus() -> list[GpuIdentity]:
    library, _ = open_nvml()
    if library is None:
        return []
    with library:
        return [
            GpuIdentity(
                index=gpu.index,
                name=gpu.name,
                memory_total=gpu.memory_total,
                power_cap_w=gpu.power_cap_w,
                driver=library.driver,
            )
            for gpu in library.gpus()
        ]


def sessions_in(content: bytes | None) -> list[SessionEvidence]:
    """Return the sessions of an evidence file; none if it is absent or unreadable."""
    try:
        return msgspec.json.decode(content or b"[]", type=list[SessionEvidence])
    except UNREADABLE:
        return []


def evidence_bytes(sessions: Sequence[SessionEvidence]) -> bytes:
    """Return the evidence file of these sessions."""
    return msgspec.json.format(msgspec.json.encode(sessions), indent=1)
