"""A private Unix socket that takes orders: one JSON object a line each way.

{"get": true}               -> {"limits": {…}, "ranges": {…}, "impossible": {…}, "reasons": {…}, "parked": …,
                                "recorder": {…}}
{"set": {NAME: VALUE, …}}   -> {"changed": {NAME: {"old": …, "new": …}, …}}
{"record": true or false}   -> the answer to get; what isn't recorded counts as dropped
anything refused            -> {"error": "…", "message": null or {"kind": "…", "values": {…}}}
"""

import contextlib
import json
import socket
import threading
from pathlib import Path
from typing import Any

from .tap import Tap
from .writer import give_to_folder

_MAX_ORDER = 1 << 16
_PATIENCE_S = 10.0
"""Idle time after which a caller is disconnected for the next one."""


class ControlSocket:
    """Serves a private socket, one caller after the other."""

    def __init__(self, path: str, tap: Tap) -> None:
        self._tap = tap
        self._path = Path(path)
        self._path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        self._path.chmod(0o600)  # no one can connect before it listens
        give_to_folder(path)
        self._listener.listen(8)
        threading.Thread(target=self._run, name="live limits", daemon=True).start()

    def close(self) -> None:
        """Take no more orders."""
        self._path.unlink(missing_ok=True)
        # Wakes the thread out of accept().
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)

    def _run(self) -> None:
        with self._listener, contextlib.suppress(OSError):
            while True:
                caller, _ = self._listener.accept()
                self._serve(caller)

    def _serve(self, caller: socket.socket) -> None:
        caller.settimeout(_PATIENCE_S)
        with caller, contextlib.suppress(OSError), caller.makefile("rwb") as stream:
            while line := stream.readline(_MAX_ORDER):
                stream.write(json.dumps(self._answer(line)).encode() + b"\n")
                stream.flush()

    def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            return self._tap.carry_out(_order(line))
        except (ValueError, RecursionError) as error:
            return {"error": str(error), "message": getattr(error, "message", None)}


def _order(line: bytes) -> dict[str, Any]:
    order = json.loads(line)
    if not isinstance(order, dict) or order.keys() - {"get", "set", "record"}:
        raise ValueError('not an order; {"set": {NAME: VALUE}} would be right')
    if "set" in order and not isinstance(order["set"], dict):
        raise ValueError("set takes an object: names to values")
    return order
