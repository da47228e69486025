"""Load workers on several machines: connected, checked, watched, and summed up after a run."""

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

from workbench.base import Message, Place, Record, message, placed
from workbench.experiments.run.ray_hosts import ray_machines
from workbench.experiments.run.remote_workers import check_version, python_on, workers_for
from workbench.experiments.run.run_settings import host_target
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import LoadHosts
from workbench.load import HostReport, HostWorker, WorkerHost, WorkerJob
from workbench.servers import Server, connect_host

_MARGIN_S = 2.0
"""Time from the last worker's readiness to the first due time, for the clocks to be read on a slow path."""
_WORKER = ("-m", "workbench.load.worker")
OnLost = Callable[[Message], None]


class LoadMachine(Protocol):
    """A connected machine that can run load workers."""

    name: str

    async def start_worker(self) -> Any:
        """Start a worker; return an object like an asyncio process with pipes."""


class HostsOutcome(Record, frozen=True, kw_only=True):
    """The machines of a run's load; empty if the load ran here or on the server's machine."""

    hosts: tuple[HostReport, ...] = ()
    lost: tuple[Message, ...] = ()

    @property
    def clock_error_ms(self) -> float | None:
        """The largest clock error that is known."""
        known = [host.clock_error_ms for host in self.hosts if host.clock_error_ms is not None]
        return max(known, default=None)

    def facts(self) -> dict[str, Any]:
        """Return scorecard columns."""
        if not self.hosts:
            return {}
        error = self.clock_error_ms
        return {
            "load_hosts": ", ".join(map(_described, self.hosts)),
            **({} if error is None else {"clock_error_ms": round(error, 3)}),
        }


def _described(host: HostReport) -> str:
    """Return `gpu-box ±0.21 ms`."""
    error = host.clock_error_ms
    return host.name if error is None else f"{host.name} ±{error:.2f} ms"


class LoadWorkers:
    """Starter of one run's workers, with the state of their machines."""

    def __init__(
        self,
        machines: Sequence[LoadMachine] = (),
        on_lost: OnLost = lambda _: None,
        margin_s: float = _MARGIN_S,
    ) -> None:
        self._machines = machines
        self._on_lost = on_lost
        self._workers: dict[str, list[HostWorker]] = {machine.name: [] for machine in machines}
        self._lost: dict[str, Message] = {}
        self.host = WorkerHost(self._start, least=len(machines), margin_s=margin_s)

    @property
    def elsewhere(self) -> bool:
        """True if the workers run on machines of their own."""
        return bool(self._machines)

    def outcome(self) -> HostsOutcome:
        """Return what became of the machines."""
        hosts = tuple(self._report(name, workers) for name, workers in self._workers.items())
        for host in hosts:
            if host.workers and host.clock_error_ms is None:
                self._lost.setdefault(
                    host.name,
                    message("experiments.host_lost", host=host.name, why=message("load.clock_unread")),
                )
        return HostsOutcome(hosts=hosts, lost=tuple(self._lost.values()))

    async def _start(self, job: WorkerJob) -> HostWorker:
        machine = self._machines[job.worker % len(self._machines)]
        worker = HostWorker(await machine.start_worker(), lambda why: self._lose(machine.name, why))
        self._workers[machine.name].append(worker)
        await worker.say(job)
        return worker

    def _lose(self, name: str, why: Message) -> None:
        if name not in self._lost:
            self._lost[name] = message("experiments.host_lost", host=name, why=why)
            self._on_lost(self._lost[name])

    def _report(self, name: str, workers: Sequence[HostWorker]) -> HostReport:
        errors = [worker.clock.error_s for worker in workers]
        known = [each for each in errors if each is not None]
        late = [worker.start_late_s for worker in workers if worker.start_late_s is not None]
        shifts = [worker.clock.shift_s for worker in workers]
        return HostReport(
            name=name,
            workers=len(workers),
            clock_ahead_s=workers[0].clock.ahead_s if workers else 0.0,
            clock_error_ms=1000 * max(known) if known and len(known) == len(errors) else None,
            clock_shift_ms=1000 * max(shifts, key=abs, default=0.0),
            round_trips=sum(worker.clock.trips for worker in workers),
            start_late_ms=1000 * max(late) if late else None,
            lost=name in self._lost,
        )


@asynccontextmanager
async def load_workers(experiment: Experiment, server: Server, on_lost: OnLost) -> AsyncIterator[LoadWorkers]:
    """Yield what starts the load workers of a run; their machines are connected during the context.

    Raises:
        Refusal: a machine can't be reached, or its Python lacks this program or has another version of it.
        WorkFailure: a machine's clock can't be read.
    """
    hosts = experiment.load.hosts
    if hosts is None:
        workers = LoadWorkers()
        workers.host = await workers_for(experiment, server)
        yield workers
        return
    async with contextlib.AsyncExitStack() as connected:
        if hosts.ray is not None:
            yield LoadWorkers(await connected.enter_async_context(ray_machines(hosts)), on_lost)
            return
        machines = [await connected.enter_async_context(_over_ssh(host, hosts)) for host in hosts.ssh]
        yield LoadWorkers(machines, on_lost)


class _SshMachine:
    """A machine over SSH."""

    def __init__(self, name: str, connection: Any, python: str) -> None:
        self.name = name
        self._connection = connection
        self._python = python

    async def start_worker(self) -> Any:
        """Start a worker on a connection of its own."""
        return await self._connection.start([self._python, *_WORKER])


@asynccontextmanager
async def _over_ssh(host: str, hosts: LoadHosts) -> AsyncIterator[LoadMachine]:
    place = Place(table="load", key="hosts")
    async with contextlib.AsyncExitStack() as connected:
        with placed(place):
            connection = await connected.enter_async_context(connect_host(host_target(host, hosts)))
            python = python_on(connection, hosts.python_there)
            await check_version(connection, python, place)
        yield _SshMachine(host, connection, python)
