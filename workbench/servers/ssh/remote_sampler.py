"""The machine under a server that is reached over SSH, sampled there by our probe."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from workbench.base import UNREADABLE, WorkbenchError, now
from workbench.results import MachineSample
from workbench.servers.ssh.connection import SshConnection
from workbench.telemetry import (
    GPU_QUERY,
    PROCESS_QUERY,
    SMI_FORMAT,
    gpu_sample,
    gpus_from,
    role_of,
    share_taken,
)

_AGAIN_S = 2.0


class ProbeSample(msgspec.Struct, frozen=True):
    """One line of the probe, with running totals."""

    mono: float
    cpu: tuple[float, float]
    net: tuple[int, int]
    disk: int | None
    processes: list[tuple[int, str, bool, float]]
    """Pid, name, True for the server's first process, CPU seconds."""
    clients: list[tuple[int, float]]
    """Load workers there: pid, CPU seconds."""
    in_processes: float
    """CPU seconds of all processes."""
    ours: float
    """CPU seconds of the server, the load workers and the probe."""
    cores: int
    gpus: str | None
    holding: str | None


class RemoteSampler:
    """Samples a remote machine as `MachineSampler` does the local one; a dropped connection leaves a gap."""

    def __init__(
        self, link: SshConnection, probe: Sequence[str], folder: str, interval_s: float = 1.0
    ) -> None:
        self.zero = 0.0
        self._link = link
        self._words = [*probe, folder, f"{interval_s:g}", GPU_QUERY, PROCESS_QUERY, SMI_FORMAT]
        self._before: ProbeSample | None = None

    async def run(self, on_sample: Callable[[MachineSample], None], stop: asyncio.Event) -> None:
        """Sample until `stop` is set; the first sample comes with the probe's second line."""
        stopping = asyncio.create_task(stop.wait())
        reading = asyncio.create_task(self._keep_reading(on_sample))
        try:
            await asyncio.wait({stopping, reading}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (stopping, reading):
                task.cancel()
            await asyncio.gather(stopping, reading, return_exceptions=True)
        if reading.done() and not reading.cancelled() and reading.exception() is not None:
            reading.result()

    async def _keep_reading(self, on_sample: Callable[[MachineSample], None]) -> None:
        while True:
            with suppress(WorkbenchError):
                await self._read(on_sample)
            await asyncio.sleep(_AGAIN_S)

    async def _read(self, on_sample: Callable[[MachineSample], None]) -> None:
        async with self._link.process(self._words) as process:
            while line := await process.stdout.readline():
                with suppress(*UNREADABLE):
                    self._sample(msgspec.json.decode(line, type=ProbeSample), on_sample)

    def _sample(self, look: ProbeSample, on_sample: Callable[[MachineSample], None]) -> None:
        before, self._before = self._before, look
        if before is not None and before.mono < look.mono:
            on_sample(sample_between(before, look, now() - self.zero))


def sample_between(before: ProbeSample, after: ProbeSample, t: float) -> MachineSample:
    """Return the rates between two probe lines, and the gauges of the later one."""
    seconds = after.mono - before.mono
    whole = after.cpu[1] - before.cpu[1]
    ours = {pid for pid, *_ in after.processes}
    cards = gpus_from(after.gpus, after.holding or "") if after.gpus is not None else []
    disk = None if before.disk is None or after.disk is None else (after.disk - before.disk) / seconds
    return MachineSample(
        t=t,
        # Rounding can exceed 1 by some 1e-15 on a busy machine.
        host_cpu=min(1.0, (after.cpu[0] - before.cpu[0]) / whole) if whole > 0 else None,
        net_received=(after.net[0] - before.net[0]) / seconds,
        net_sent=(after.net[1] - before.net[1]) / seconds,
        disk_read=disk,
        gpus=[gpu_sample(card, ours) for card in cards],
        client_cpu=_busiest(dict(before.clients), dict(after.clients), seconds),
        others_cpu=_others(before, after, seconds),
        **_busy(before, after, seconds),
    )


def _others(before: ProbeSample, after: ProbeSample, seconds: float) -> float | None:
    """Return the share of the cores used by other processes; None if one of ours has ended."""
    ours, busy = after.ours - before.ours, after.in_processes - before.in_processes
    if not after.processes or ours < 0 or busy <= 0:
        return None
    return share_taken((busy - ours) / seconds, after.cores, after.cores)


def _busiest(before: dict[int, float], after: dict[int, float], seconds: float) -> float | None:
    rates = [(after[pid] - before[pid]) / seconds for pid in after if pid in before]
    return max(rates, default=None)


def _busy(before: ProbeSample, after: ProbeSample, seconds: float) -> dict[str, Any]:
    """Return busy cores by role; processes that began in between count from the next sample on."""
    used = {pid: cpu_s for pid, _, _, cpu_s in before.processes}
    busy: dict[str, Any] = {}
    for pid, name, first, cpu_s in after.processes:
        if pid in used:
            role = role_of(name, is_first=first)
            busy[role] = busy.get(role, 0.0) + max(0.0, cpu_s - used[pid]) / seconds
    return busy
