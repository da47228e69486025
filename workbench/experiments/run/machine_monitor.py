"""Monitoring the machines of a run: samples once a second, events, scorecard columns."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from workbench.base import now
from workbench.experiments.run.channel import Emit
from workbench.experiments.run.events import MachineSampled
from workbench.results import GpuSample, MachineSample, Sharing, sharing_of
from workbench.servers import Server, processes_serving
from workbench.telemetry import BusiestChild, OtherProcesses, OthersSampler

_INTERVAL_S = 1.0
_LOAD_WORKER = "workbench.load.worker"
_GIB = 2**30
_MB = 1_000_000


class MachineMonitor:
    """Samples the machines of one run: the server's, if we can look at it, and the load's.

    Args:
        run: the run's name.
        time_scale: simulated seconds in a wall second.
        server: the server that the run measures.
        store: takes each sample.
        emit: takes each sample's event.
        load_here: whether the load workers run on this machine.
        others: measures what other processes take of this machine; a test may pass a fake.
    """

    def __init__(
        self,
        run: str,
        time_scale: float,
        server: Server,
        store: Callable[[MachineSample], None],
        emit: Emit,
        *,
        load_here: bool = True,
        others: Callable[[Collection[int]], OthersSampler] = OtherProcesses,
    ) -> None:
        self.samples: list[MachineSample] = []
        self._run = run
        self._scale = time_scale
        self._server = server
        self._store = store
        self._emit = emit
        self._workers = BusiestChild(_LOAD_WORKER)
        self._load_here = load_here
        self._make_others = others
        self._others: OthersSampler | None = None
        """Other processes of this machine, if the server's own sampler doesn't watch them."""
        self._memory_ran_out = server.out_of_memory
        self._over = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self, zero: float) -> None:
        """Start sampling; the schedule starts at `zero` of the run's clock, and the load workers exist."""
        self._task = asyncio.create_task(self._watch(zero))

    @property
    def facts(self) -> dict[str, Any]:
        """Number of out-of-memory lines during the run, for a server whose log we read."""
        owned = self._server.command is not None
        return {"out_of_memory": self._server.out_of_memory - self._memory_ran_out} if owned else {}

    async def end(self) -> None:
        """Stop sampling.

        Raises:
            StorageError: a sample couldn't be stored.
        """
        self._over.set()
        if self._task is not None:
            await self._task

    async def _watch(self, zero: float) -> None:
        await asyncio.to_thread(self._workers.find)
        machine = self._server.machine()
        if self._load_here and self._server.pid is None:
            await asyncio.to_thread(self._begin_looking)
        if machine is None:
            await self._watch_workers(zero)
        else:
            machine.zero = zero
            await machine.run(self._add, self._over)

    async def _watch_workers(self, zero: float) -> None:
        while not self._over.is_set():
            try:
                await asyncio.wait_for(self._over.wait(), _INTERVAL_S)
            except TimeoutError:
                self._add(MachineSample(t=now() - zero))

    def _begin_looking(self) -> None:
        """Watch this machine's other processes, if the server's processes can be distinguished from them."""
        server = self._server
        servers = () if server.remote_host is not None else processes_serving(server.url or "")
        if servers is not None:
            self._others = self._make_others(servers)
            self._others.share()

    def _add(self, sample: MachineSample) -> None:
        here = self._workers.cores()
        sample.client_cpu = sample.client_cpu if here is None else here
        if self._others is not None:
            sample.client_others_cpu = self._others.share()
        self.samples.append(sample)
        self._store(sample)
        fields: dict[str, Any] = {name: _short(value) for name, value in msgspec.to_builtins(sample).items()}
        t = fields.pop("t")
        self._emit(MachineSampled(run=self._run, run_t=round(t * self._scale, 3), **fields))


def _short(value: Any) -> Any:
    """Round a value to the digits that one line a second needs."""
    return round(value, 4) if isinstance(value, float) else value


def machine_facts(samples: Sequence[MachineSample], end_s: float) -> dict[str, Any]:
    """Return scorecard columns from the samples of the first `end_s` wall seconds; leave out unknown ones."""
    inside = [sample for sample in samples if 0.0 <= sample.t <= end_s]
    columns = {
        "client_cpu_max_pct": _scaled(_most(sample.client_cpu for sample in inside), 100),
        "host_cpu_avg_pct": _scaled(_mean(sample.host_cpu for sample in inside), 100),
        "api_cpu_max": _scaled(_most(sample.api_cpu for sample in inside)),
        "engine_cpu_max": _scaled(_most(sample.engine_cpu for sample in inside)),
        "worker_cpu_max": _scaled(_most(sample.worker_cpu for sample in inside)),
        "net_received_max_mb_s": _scaled(_most(sample.net_received for sample in inside), 1 / _MB),
        "net_sent_max_mb_s": _scaled(_most(sample.net_sent for sample in inside), 1 / _MB),
        "disk_read_max_mb_s": _scaled(_most(sample.disk_read for sample in inside), 1 / _MB),
        "host_others_cpu": _scaled(sharing(samples, end_s).host_others),
        **_gpu_facts(inside),
    }
    return {name: value for name, value in columns.items() if value is not None}


def sharing(samples: Sequence[MachineSample], end_s: float) -> Sharing:
    """Return what others took of the machines and of the server's GPUs in the first `end_s` wall seconds."""
    gpus = _servers_gpus([sample for sample in samples if 0.0 <= sample.t <= end_s])
    return sharing_of(samples, end_s, frozenset(gpus))


def _gpu_facts(inside: Sequence[MachineSample]) -> dict[str, Any]:
    """Return columns of the server's GPUs: memory of the fullest, sum of the power, mean utilization."""
    indices = _servers_gpus(inside)
    looks = [(s.t, [gpu for gpu in s.gpus if gpu.index in indices]) for s in inside]
    looks = [(t, gpus) for t, gpus in looks if len(gpus) == len(indices)]
    if not indices or not looks:
        return {}
    every = [gpu for _, gpus in looks for gpu in gpus]
    first = looks[0][1][0]
    power = [_sum(gpu.power_w for gpu in gpus) for _, gpus in looks]
    known = [watts for watts in power if watts is not None]
    return {
        "gpu_count": len(indices),
        "gpu_memory_gib_physical": _scaled(first.memory_total, 1 / _GIB),
        "gpu_power_cap_w": _scaled(first.power_cap_w),
        "gpu_mem_peak_gib": _scaled(_most(gpu.memory_used for gpu in every), 1 / _GIB),
        "gpu_mem_reserved_gib": _scaled(_most(gpu.memory_ours for gpu in every), 1 / _GIB),
        "gpu_mem_outside_gib": _scaled(_most(gpu.memory_others for gpu in every), 1 / _GIB),
        "gpu_util_avg_pct": _scaled(_mean(gpu.utilisation for gpu in every), 100),
        "gpu_others_util_pct": _scaled(_mean(gpu.others_utilisation for gpu in every), 100),
        "gpu_throttled": _throttled(every),
        "power_avg_w": _scaled(_mean(known)),
        "power_peak_w": _scaled(_most(known)),
        "power_method": "nvml" if known else None,
        "sample_hz": _hertz([t for t, _ in looks]) if known else None,
    }


def _servers_gpus(inside: Sequence[MachineSample]) -> set[int]:
    """Return the GPUs that hold memory of the server; without owners known, the only GPU there is."""
    gpus = [gpu for sample in inside for gpu in sample.gpus]
    ours = {gpu.index for gpu in gpus if gpu.memory_ours}
    if ours or any(gpu.memory_ours is not None for gpu in gpus):
        return ours
    seen = {gpu.index for gpu in gpus}
    return seen if len(seen) == 1 else set()


def _throttled(gpus: Sequence[GpuSample]) -> str | None:
    """Return `power cap 80 %, thermal, by software 5 %` as shares of the samples; None: never throttled."""
    reasons = dict.fromkeys(reason for gpu in gpus for reason in gpu.throttling)
    shares = {reason: sum(reason in gpu.throttling for gpu in gpus) / len(gpus) for reason in reasons}
    return ", ".join(f"{reason} {share:.0%}".replace("%", " %") for reason, share in shares.items()) or None


def _hertz(times: Sequence[float]) -> float | None:
    return round((len(times) - 1) / (times[-1] - times[0]), 3) if len(times) > 1 else None


def _most(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _sum(values: Iterable[float | None]) -> float | None:
    """Return the sum; None if a value is unknown."""
    known = list(values)
    return None if None in known else sum(value or 0.0 for value in known)


def _scaled(value: float | None, factor: float = 1.0) -> float | None:
    return None if value is None else round(value * factor, 3)
