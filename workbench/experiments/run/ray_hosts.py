"""Load workers on the nodes of a Ray cluster: one actor a load host, spread over nodes; Ray is optional.

An actor starts an ordinary load worker beside it and passes its bytes on. When the actor, its node or this
process ends, the worker's input closes and the worker ends too, so nothing of ours stays there.
"""

import asyncio
import contextlib
import importlib
import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from workbench import __version__
from workbench.base import Place, Refusal, in_own_thread, message, own_module, start_process
from workbench.experiments.spec.tables import LoadHosts

_PLACE = Place(table="load", key="hosts")
_CONNECT_S = 60.0
_ROOM_S = 60.0
"""Timeout for Ray to find nodes with free CPUs."""
_START_S = 120.0
"""Timeout for the actors to start; a node may first have to start Python."""
_CHUNK = 65536
_CALLS = 64
"""Calls of one actor at a time: each worker has a read of its output and one of its errors waiting."""


class RayNode:
    """The actor: starts load workers on its node and passes their bytes on."""

    def __init__(self) -> None:
        self._processes: list[asyncio.subprocess.Process] = []

    async def start(self) -> int:
        """Start a worker; return its number."""
        pipe = subprocess.PIPE
        process = await start_process(
            *own_module("workbench.load.worker"), stdin=pipe, stdout=pipe, stderr=pipe
        )
        self._processes.append(process)
        return len(self._processes) - 1

    async def write(self, number: int, data: bytes) -> None:
        """Write to a worker's input; no bytes close it."""
        stdin = self._processes[number].stdin
        assert stdin is not None
        if not data:
            stdin.close()
            return
        stdin.write(data)
        await stdin.drain()

    async def read(self, number: int) -> bytes:
        """Return the next bytes of a worker's output; none at its end."""
        stdout = self._processes[number].stdout
        assert stdout is not None
        return await stdout.read(_CHUNK)

    async def read_errors(self, number: int) -> bytes:
        """Return the next bytes that a worker complains with; none at its end."""
        stderr = self._processes[number].stderr
        assert stderr is not None
        return await stderr.read(_CHUNK)

    async def wait(self, number: int) -> int:
        """Return a worker's exit code once it has ended."""
        return await self._processes[number].wait()

    async def kill(self, number: int) -> None:
        """End a worker at once."""
        with contextlib.suppress(ProcessLookupError):
            self._processes[number].kill()


class _Input:
    def __init__(self, actor: Any, number: int) -> None:
        self._actor, self._number = actor, number
        self._pending = b""
        self._one_by_one = asyncio.Lock()
        self._closing: asyncio.Future[Any] | None = None

    def write(self, data: bytes) -> None:
        self._pending += data

    async def drain(self) -> None:
        # Calls of an actor that runs several at a time may overtake each other.
        async with self._one_by_one:
            data, self._pending = self._pending, b""
            if data:
                await self._call(data)

    def close(self) -> None:
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._end())

    async def _end(self) -> None:
        with contextlib.suppress(OSError):
            await self._call(b"")

    async def _call(self, data: bytes) -> None:
        try:
            await self._actor.write.remote(self._number, data)
        except Exception as error:
            raise ConnectionError(str(error)) from error


class _Output:
    def __init__(self, read: Any, number: int) -> None:
        self._read, self._number = read, number
        self._bytes = bytearray()

    async def readexactly(self, count: int) -> bytes:
        while len(self._bytes) < count:
            part = await self.read(_CHUNK)
            if not part:
                raise asyncio.IncompleteReadError(bytes(self._bytes), count)
            self._bytes += part
        found = bytes(self._bytes[:count])
        del self._bytes[:count]
        return found

    async def read(self, _most: int) -> bytes:
        try:
            part: bytes = await self._read.remote(self._number)
        except Exception:  # noqa: BLE001  # Ray is optional; an actor that is gone has no more to say
            return b""
        return part


class _RayProcess:
    """A worker behind an actor, like an asyncio process with pipes."""

    def __init__(self, actor: Any, number: int) -> None:
        self._actor, self._number = actor, number
        self.stdin = _Input(actor, number)
        self.stdout = _Output(actor.read, number)
        self.stderr = _Output(actor.read_errors, number)

    async def wait(self) -> int:
        return int(await self._actor.wait.remote(self._number))

    def kill(self) -> None:
        self._actor.kill.remote(self._number)


class _RayMachine:
    """One actor, as a machine of the load."""

    def __init__(self, name: str, actor: Any) -> None:
        self.name = name
        self._actor = actor

    async def start_worker(self) -> _RayProcess:
        """Start a worker beside the actor."""
        return _RayProcess(self._actor, await self._actor.start.remote())


@asynccontextmanager
async def ray_machines(hosts: LoadHosts) -> AsyncIterator[list[_RayMachine]]:
    """Yield the machines of a load on Ray; afterwards their actors are ended.

    Raises:
        Refusal: Ray isn't installed or doesn't answer, has too few nodes with free CPUs, or a node lacks this
            program or has another version of it.
    """
    ray = _ray()
    ours = not ray.is_initialized()
    if ours:
        await _connect(ray, hosts.ray or "auto")
    group = None
    try:
        group = await in_own_thread(partial(_reserve, ray, hosts))
        yield await in_own_thread(partial(_start_actors, ray, group, hosts))
    finally:
        if group is not None:
            # Removing the group ends its actors, and they end their workers.
            await in_own_thread(partial(importlib.import_module("ray.util").remove_placement_group, group))
        if ours:
            await in_own_thread(ray.shutdown)


def _ray() -> Any:
    # Nothing is reported to Ray's makers on behalf of the user.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise Refusal("experiments.ray_not_installed", _PLACE) from error


async def _connect(ray: Any, address: str) -> None:
    """Connect within a time: Ray itself tries a wrong address for minutes."""
    init = partial(ray.init, address=address, log_to_driver=False, configure_logging=False)
    try:
        await asyncio.wait_for(in_own_thread(init), _CONNECT_S)
    except TimeoutError as error:
        late = message("experiments.not_within", seconds=_CONNECT_S)
        raise Refusal("experiments.ray_no_cluster", _PLACE, address=address, cause=late) from error
    except Exception as error:
        cause = str(error).strip().splitlines()
        raise Refusal(
            "experiments.ray_no_cluster", _PLACE, address=address, cause=cause[0] if cause else ""
        ) from error


def _reserve(ray: Any, hosts: LoadHosts) -> Any:
    """Reserve a CPU for each actor, each node with at most `per_host` of them."""
    whole, rest = divmod(hosts.count, hosts.per_host)
    sizes = [hosts.per_host] * whole + ([rest] if rest else [])
    util = importlib.import_module("ray.util")
    group = util.placement_group([{"CPU": size} for size in sizes], strategy="STRICT_SPREAD")
    try:
        ray.get(group.ready(), timeout=_ROOM_S)
    except ray.exceptions.GetTimeoutError as error:
        util.remove_placement_group(group)
        raise Refusal(
            "experiments.ray_no_room", _PLACE, nodes=len(sizes), cpus=max(sizes), seconds=_ROOM_S
        ) from error
    return group


def _start_actors(ray: Any, group: Any, hosts: LoadHosts) -> list[_RayMachine]:
    strategies = importlib.import_module("ray.util.scheduling_strategies")

    def facts() -> tuple[str | None, str, str]:
        """Return the program's version, the node's address and id; sent as it is, so it needs no program."""
        there = importlib.import_module("ray")
        node = there.util.get_node_ip_address(), there.get_runtime_context().get_node_id()
        try:
            return importlib.import_module("workbench").__version__, *node
        except ImportError:
            return None, *node

    def at(number: int) -> Any:
        return strategies.PlacementGroupSchedulingStrategy(
            group, placement_group_bundle_index=number // hosts.per_host
        )

    ask = ray.remote(facts)
    numbers = range(hosts.count)
    try:
        found = ray.get(
            [ask.options(num_cpus=1, scheduling_strategy=at(number)).remote() for number in numbers],
            timeout=_START_S,
        )
    except ray.exceptions.RayError as error:
        raise Refusal("experiments.ray_no_actors", _PLACE, cause=str(error).splitlines()[0]) from error
    for version, address, _ in found:
        if version is None:
            raise Refusal("experiments.ray_without_program", _PLACE, node=address, ours=__version__)
        if version != __version__:
            raise Refusal(
                "experiments.ray_other_version",
                _PLACE, node=address, version=version, ours=__version__,
            )  # fmt: skip
    make = ray.remote(RayNode)
    actors = [
        make.options(num_cpus=1, max_concurrency=_CALLS, scheduling_strategy=at(number)).remote()
        for number in numbers
    ]
    seen: dict[str, int] = {}
    machines = []
    for actor, (_, address, node) in zip(actors, found, strict=True):
        name = f"{address}/{node[:6]}"
        seen[name] = seen.get(name, 0) + 1
        machines.append(_RayMachine(name if seen[name] == 1 else f"{name}#{seen[name]}", actor))
    return machines
