"""Load workers on the server's machine, over SSH, without a tunnel between them and the server.

They are the same workers, run by a remote Python that has this program; commands and records travel over SSH
as on a pipe. A worker measures on its own machine's clock; only the schedule's start is converted.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol

import msgspec

from workbench import __version__
from workbench.base import Message, Place, Refusal, WorkFailure, message
from workbench.experiments.spec.experiment import Experiment
from workbench.load import (
    LOCAL_WORKERS,
    NULL_SERVER,
    Calibration,
    FromWorker,
    StartLoad,
    ToWorker,
    WorkerHost,
    WorkerJob,
    WorkerProcess,
    calibrate_quickly,
)
from workbench.servers import COPY, ConnectedHost, RemoteHost, Server, TargetSpec, connect_host

_TELL_VERSION = ("-m", "workbench.base.tell_version")
"""Prints the version and the number of usable cores."""
_WORKER = ("-m", "workbench.load.worker")
_LOAD_PYTHON = Place(table="target", key="load_python")


async def workers_for(experiment: Experiment, server: Server) -> WorkerHost:
    """Return what starts the load workers of a run.

    Raises:
        Refusal: the remote Python lacks this program, or has another version of it.
        WorkFailure: the clock of the remote machine can't be read.
    """
    python = experiment.target.load_python
    if python is None:
        return LOCAL_WORKERS
    assert server.remote_host is not None
    return await _connect_workers(server.remote_host, python, server.clock_ahead_s)


async def remote_workers(machine: ConnectedHost, python: str) -> WorkerHost:
    """Return what starts load workers on a machine that has no server of ours yet."""
    return await _connect_workers(machine, python, machine.clock_ahead_s)


async def _connect_workers(
    host: RemoteHost, python: str, clock_ahead_s: Callable[[], Awaitable[float | None]]
) -> WorkerHost:
    python = python_on(host, python)
    cores = await check_version(host, python)
    ahead_s = await clock_ahead_s()
    if ahead_s is None:
        raise WorkFailure("experiments.remote_clock_unreadable", host=host.host)
    return WorkerHost(RemoteWorkers(host, python, ahead_s).start, cores)


def python_on(host: RemoteHost, python: str) -> str:
    """Return the command for a configured `python` there: itself, or the program that was copied."""
    if python != COPY:
        return python
    assert host.program is not None
    return host.program


async def check_version(host: RemoteHost, python: str, place: Place = _LOAD_PYTHON) -> int | None:
    """Check the program's version on the remote machine; return its usable cores, or None.

    `place` names the setting of `python` in the error.

    Raises:
        Refusal: the remote Python lacks this program, or has another version of it.
    """
    said = await host.call([python, *_TELL_VERSION])
    if said.exit_code:
        raise Refusal(
            "experiments.remote_python_without_program",
            place, python=python, host=host.host, error=said.last_error, version=__version__,
        )  # fmt: skip
    version, _, cores = said.output.decode(errors="replace").strip().partition(" ")
    if version != __version__:
        raise Refusal(
            "experiments.remote_python_of_other_version",
            place, python=python, host=host.host, version=version, ours=__version__,
        )  # fmt: skip
    return int(cores) if cores.isdecimal() else None


class RemoteWorkers:
    """Starts load workers on another machine, whose clock is `ahead_s` ahead of ours."""

    def __init__(self, host: RemoteHost, python: str, ahead_s: float) -> None:
        self._host = host
        self._python = python
        self._ahead_s = ahead_s

    async def start(self, job: WorkerJob) -> WorkerProcess:
        """Start a worker and send it its job, with the server's address on that machine."""
        process = await self._host.start([self._python, *_WORKER])
        worker = _RemoteWorker(process, self._ahead_s)
        target = msgspec.structs.replace(job.target, url=self._host.url)
        await worker.say(msgspec.structs.replace(job, target=target))
        return worker


class _RemoteWorker(WorkerProcess):
    """A worker over SSH; if the connection drops, it ends with its standard input."""

    def __init__(self, process: Any, ahead_s: float) -> None:
        super().__init__(process)
        self._ahead_s = ahead_s

    async def say(self, order: ToWorker) -> None:
        """Send an order, with the start in the time of the worker's own clock."""
        if isinstance(order, StartLoad):
            order = StartLoad(zero=order.zero + self._ahead_s)
        with contextlib.suppress(OSError):
            await super().say(order)

    async def hear(self) -> FromWorker | None:
        """Return the next message; None if the worker or the connection ended."""
        try:
            return await super().hear()
        except asyncio.CancelledError:
            raise
        except Exception:  # noqa: BLE001  # asyncssh is optional here, and its errors are of its own kinds
            return None

    async def close(self) -> Message:
        """Wait until it ends."""
        try:
            return await super().close()
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001  # as above
            return message("load.connection_dropped", cause=str(error))


# A null server on a machine over SSH, to calibrate the load generator on the path of the runs.

_PYTHON = "python3"
"""The Python that also runs the keeper of remote servers."""
_START_S = 30.0
_MOST_SAID = 4096


class CalibrationFunction(Protocol):
    """`calibrate` or `calibrate_quickly`."""

    async def __call__(self, *, url: str, worker_host: WorkerHost) -> Calibration:
        """Calibrate load workers of `hire` against the null server at `url`."""


async def calibrate_remotely(
    target: TargetSpec, calibrating: CalibrationFunction | None = None
) -> Calibration:
    """Calibrate through the tunnel, or on that machine if the target's load workers run there.

    Uses `calibrate_quickly` unless `calibrating` is given.

    Raises:
        InputError: the machine can't be reached, or its Python lacks this program.
        WorkFailure: the null server doesn't start there.
        WorkbenchError: the null server doesn't answer.
    """
    async with connect_host(target) as machine:
        python = target.load_python
        hire = LOCAL_WORKERS if python is None else await remote_workers(machine, python)
        program = machine.program if python is None else python_on(machine, python)
        async with _null_server(machine, program) as port:
            machine.url = f"http://127.0.0.1:{port}"
            # The null server's own figures always come through the tunnel.
            here = await machine.forward(port)
            return await (calibrating or calibrate_quickly)(url=f"http://127.0.0.1:{here}", worker_host=hire)


@asynccontextmanager
async def _null_server(machine: ConnectedHost, program: str | None) -> AsyncIterator[int]:
    """Yield the port of a null server there, of the `program` there or else from our source as an argument.

    No file stays behind.
    """
    if program is not None:
        words = [program, "-m", "workbench.load.calibration.null_server"]
    else:
        words = [_PYTHON, "-u", "-c", await asyncio.to_thread(NULL_SERVER.read_text, encoding="utf-8")]
    process = await machine.start(words)
    try:
        yield await _port(process, machine.host, words[0])
    finally:
        process.close()


async def _port(process: Any, host: str, python: str) -> int:
    """Return the port that the null server prints."""
    try:
        async with asyncio.timeout(_START_S):
            line = (await process.stdout.readline()).decode(errors="replace").strip()
            if line.startswith("listening on "):
                return int(line.rpartition(":")[2])
            said = (await process.stderr.read(_MOST_SAID)).decode(errors="replace").strip().splitlines()
    except TimeoutError as error:
        late = message("experiments.not_within", seconds=_START_S)
        raise _not_started(host, python, late) from error
    except Exception as error:  # asyncssh is optional here and has its own kinds of errors
        raise _not_started(host, python, str(error)) from error
    printed = said[-1][:200] if said else line[:200]
    raise _not_started(host, python, printed or message("experiments.printed_nothing"))


def _not_started(host: str, python: str, why: Message | str) -> WorkFailure:
    return WorkFailure("experiments.null_server_not_started", host=host, python=python, why=why)
