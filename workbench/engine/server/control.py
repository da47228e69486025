"""Live limits over a private Unix socket: one JSON object a line each way.

{"get": true}                           -> {"limits": {…}, "ranges": {…}}
{"set": {"max_num_active_seqs": 8}}     -> {"changed": {"max_num_active_seqs": {"old": 64, "new": 8}}}
a refused order                         -> {"error": "…", "kind": "…"}
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import UNREADABLE, Message, Place, Refusal, message
from workbench.engine.server.link import EngineGone, EngineLink

_MAX_LINE = 1 << 16
_FLAG = Place(key="--control-socket")


class _Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    set: dict[str, Any] | None = None
    get: bool = False


_orders = msgspec.json.Decoder(_Order)


@contextlib.asynccontextmanager
async def control_socket(path: str | None, link: EngineLink) -> AsyncIterator[None]:
    """Take orders at `path`, which only its owner can open, until the context ends; None: no socket.

    Raises:
        Refusal: this system has no Unix sockets, or the path can't be used.
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
        raise Refusal("engine.no_unix_sockets", _FLAG)
    if path.is_socket():
        _require_abandoned(path)
        path.unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(str(path))
        path.chmod(0o600)  # it accepts no connection before it listens
    except OSError as error:
        listener.close()
        cause = error.strerror or str(error)
        raise Refusal("engine.socket_unusable", _FLAG, path=str(path), cause=cause) from error
    return listener


def _require_abandoned(path: Path) -> None:
    """Refuse a socket that answers; a silent one was left by a killed server."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        if caller.connect_ex(str(path)) == 0:
            raise Refusal("engine.socket_taken", _FLAG, path=str(path))


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
                writer.write(
                    msgspec.json.encode(_error(message("engine.order_too_long", bytes=_MAX_LINE))) + b"\n"
                )
        writer.close()

    async def _carry_out(self, line: bytes) -> dict[str, Any]:
        try:
            order = _orders.decode(line)
        except UNREADABLE as error:
            return _error(message("engine.not_an_order", cause=str(error)))
        try:
            if order.set:
                return await self._link.query("set_limits", order.set)
            return await self._link.query("limits")
        except EngineGone:
            return _error(message("engine.engine_ended"))
        except OverflowError:
            return _error(message("engine.order_number_too_large"))


def _error(said: Message) -> dict[str, str]:
    """Return the answer to an order that failed."""
    return {"error": str(said), "kind": said.kind}
