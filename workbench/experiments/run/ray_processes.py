"""Processes of this program on the nodes of a Ray cluster, each behind an actor; Ray is optional.

An actor starts the process beside it and passes its bytes on. When the actor, its node or this process ends,
the process's input closes and it ends too, so nothing of ours stays there.
"""

import asyncio
import contextlib
import importlib
import os
import platform
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from workbench import __version__
from workbench.base import Place, Refusal, in_own_thread, message, own_module, start_process

_CONNECT_S = 60.0
_CHUNK = 65536
CALLS = 64
"""Calls of one actor at a time: each process has a read of its output and one of its errors waiting."""


NodeFacts = tuple[str | None, str, str, str]
"""Version of this program (None: it isn't there), version of Python, the node's address and id."""


def _facts_function() -> Callable[[], NodeFacts]:
    """Return a function that Ray sends as it is, so that a node needs no program to run it."""

    def facts() -> NodeFacts:
        there = importlib.import_module("ray")
        node = there.util.get_node_ip_address(), there.get_runtime_context().get_node_id()
        python = importlib.import_module("platform").python_version()
        try:
            return importlib.import_module("workbench").__version__, python, *node
        except ImportError:
            return None, python, *node

    return facts


def facts_task(ray: Any) -> Any:
    """Return the remote function that returns a node's `NodeFacts`."""
    return ray.remote(_facts_function())


class RayNode:
    """The actor: starts processes of this program on its node and passes their bytes on."""

    def __init__(self) -> None:
        self._processes: list[asyncio.subprocess.Process] = []

    async def facts(self) -> NodeFacts:
        """Return the facts of the actor's node."""
        return _facts_function()()

    async def start(self, module: str = "workbench.load.worker") -> int:
        """Start a process of this program, a load worker by default; return its number."""
        pipe = subprocess.PIPE
        process = await start_process(*own_module(module), stdin=pipe, stdout=pipe, stderr=pipe)
        self._processes.append(process)
        return len(self._processes) - 1

    async def write(self, number: int, data: bytes) -> None:
        """Write to a process's input; no bytes close it."""
        stdin = self._processes[number].stdin
        assert stdin is not None
        if not data:
            stdin.close()
            return
        stdin.write(data)
        await stdin.drain()

    async def read(self, number: int) -> bytes:
        """Return the next bytes of a process's output; none at its end."""
        stdout = self._processes[number].stdout
        assert stdout is not None
        return await stdout.read(_CHUNK)

    async def read_errors(self, number: int) -> bytes:
        """Return the next bytes of a process's standard error; none at its end."""
        stderr = self._processes[number].stderr
        assert stderr is not None
        return await stderr.read(_CHUNK)

    async def wait(self, number: int) -> int:
        """Return a process's exit code once it has ended."""
        return await self._processes[number].wait()

    async def kill(self, number: int) -> None:
        """End a process at once."""
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


class RayProcess:
    """A process behind an actor, like an asyncio process with pipes."""

    def __init__(self, actor: Any, number: int) -> None:
        self._actor, self._number = actor, number
        self.stdin = _Input(actor, number)
        self.stdout = _Output(actor.read, number)
        self.stderr = _Output(actor.read_errors, number)

    async def wait(self) -> int:
        """Return the exit code once the process has ended."""
        return int(await self._actor.wait.remote(self._number))

    def kill(self) -> None:
        """End the process at once."""
        self._actor.kill.remote(self._number)


def ray_module(place: Place) -> Any:
    """Return the module `ray`.

    Raises:
        Refusal: it isn't installed; names `place`.
    """
    # Nothing is reported to Ray's makers on behalf of the user.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise Refusal("experiments.ray_not_installed", place) from error


@asynccontextmanager
async def connected_ray(address: str, place: Place) -> AsyncIterator[Any]:
    """Yield the module `ray`, connected to a cluster.

    Raises:
        Refusal: Ray isn't installed, or no cluster answers there; names `place`.
    """
    ray = ray_module(place)
    if ray.is_initialized():
        yield ray
        return
    # Ray prints what happens to its workers, and standard output holds results alone.
    with contextlib.redirect_stdout(sys.stderr):
        await _connect(ray, address, place)
        try:
            yield ray
        finally:
            await in_own_thread(ray.shutdown)


async def _connect(ray: Any, address: str, place: Place) -> None:
    """Connect within a time: Ray itself tries a wrong address for minutes."""
    init = partial(ray.init, address=address, log_to_driver=False, configure_logging=False)
    try:
        await asyncio.wait_for(in_own_thread(init), _CONNECT_S)
    except TimeoutError as error:
        late = message("experiments.not_within", seconds=_CONNECT_S)
        raise Refusal("experiments.ray_no_cluster", place, address=address, cause=late) from error
    except Exception as error:
        cause = str(error).strip().splitlines()
        said = cause[0] if cause else ""
        raise Refusal("experiments.ray_no_cluster", place, address=address, cause=said) from error


def require_program(facts: NodeFacts, place: Place) -> None:
    """Check that a node has this program in this version, and Python in the same minor version.

    Raises:
        Refusal: names the node.
    """
    version, python, node, _ = facts
    if version is None:
        raise Refusal("experiments.ray_without_program", place, node=node, ours=__version__)
    if version != __version__:
        raise Refusal("experiments.ray_other_version", place, node=node, version=version, ours=__version__)
    here = platform.python_version()
    if python.split(".")[:2] != here.split(".")[:2]:
        raise Refusal("experiments.ray_other_python", place, node=node, version=python, ours=here)


def node_name(facts: NodeFacts) -> str:
    """Return the node's address with the first digits of its id: several nodes may share an address."""
    _, _, address, node = facts
    return f"{address}/{node[:6]}"
