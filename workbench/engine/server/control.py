"""Live limits over a private Unix socket: one JSON object a line each way.

{"get": true}                           -> {"limits": {…}, "ranges": {…}}
{"set": {"max_num_active_seqs": 8}}     -> {"changed": {"max_num_active_seqs": {"old": 64, "new": 8}}}
anything refused                        -> {"error": "…"}
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import UNREADABLE, InputError
from workbench.engine.server.link import EngineGone, EngineLink

_MAX_LINE = 1 << 16


class _Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    set: dict[str, Any] | None = None
    get: bool = False


_orders = msgspec.json.Decoder(_Order)


@contextlib.asynccontextmanager
async def control_socket(path: str | None, link: EngineLink) -> AsyncIterator[None]:
    """Take orders at `path`, readable by its owner alone, until the context ends; None: no socket.

    Raises:
        InputError: there is no such thing on this system, or the path can't be used.
    """
    if path is None:
        yield
        return
    server = await asyncio.start_unix_server(_Desk(link).serve, sock=_bind(Path(path)), limit=_MAX_LINE)
    try:
        yield
    finally:
        server.close()
        _remove(Path(path))


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _bind(path: Path) -> socket.socket:
    if not hasattr(socket, "AF_UNIX"):
        raise InputError("--control-socket: this system has no Unix sockets")
    if path.is_socket():
        _require_abandoned(path)
        path.unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(str(path))
        path.chmod(0o600)  # nobody can connect before it listens
    except OSError as error:
        listener.close()
        raise InputError(f"--control-socket {path}: {error.strerror or error}") from error
    return listener


def _require_abandoned(path: Path) -> None:
    """A socket file that nobody answers was left by a server that was killed."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        if caller.connect_ex(str(path)) == 0:
            raise InputError(f"--control-socket {path}: another server answers there")


class _Desk:
    """Serves the connections."""

    def __init__(self, link: EngineLink) -> None:
        self._link = link

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer line by line until the other side closes."""
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            try:
                while line := await reader.readline():
                    writer.write(msgspec.json.encode(await self._carry_out(line)) + b"\n")
                    await writer.drain()
            except ValueError:
                writer.write(b'{"error":"not an order: a line of more than %d bytes"}\n' % _MAX_LINE)
        writer.close()

    async def _carry_out(self, line: bytes) -> dict[str, Any]:
        try:
            order = _orders.decode(line)
        except UNREADABLE as error:
            return {"error": f'not an order: {error}; {{"set": {{NAME: VALUE}}}} would be right'}
        try:
            if order.set:
                return await self._link.ask("set_limits", order.set)
            return await self._link.ask("limits")
        except EngineGone:
            return {"error": "the engine has ended"}
        except OverflowError:
            return {"error": "not an order: a number of more than 64 bits"}
