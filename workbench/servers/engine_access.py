"""The opt-in ways into a running engine: where it writes its steps, where it takes new limits."""

import asyncio
import glob
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from workbench.base import (
    UNREADABLE,
    Place,
    Refusal,
    data_folder,
    message,
    require_writable_folder,
    utc_now,
)
from workbench.controls import LIVE_LIMITS
from workbench.servers.cleanup import private_folder
from workbench.servers.server import LiveLimit, ServerFailedError, fixed_limit, fixed_limits
from workbench.servers.target_spec import TargetSpec

_ANSWER_S = 15.0
"""An engine answers between two steps."""


def step_record_files(first: Path) -> list[Path]:
    """The step records of one server's engines, by rank, as far as they are there.

    With data parallelism each engine decides for itself and writes its own: `first`, `first.1` and so on.
    """
    beside = [path for path in first.parent.glob(f"{glob.escape(first.name)}.*") if path.suffix[1:].isdigit()]
    known = [first] if first.exists() else []
    return [*known, *sorted(beside, key=lambda path: int(path.suffix[1:]))]


class EngineAccess:
    """The ways that a target asks for. Opened before its server starts, closed after it has ended."""

    def __init__(self, spec: TargetSpec) -> None:
        self.steps_file: Path | None = None
        """Where the steps are written, `.steps.jsonl` or `.stats.jsonl`; stays when the server has ended."""
        self.socket: Path | None = None
        self.folder: Path | None = None
        """For sockets, ours alone; whoever opened the ways removes it."""
        self._spec = spec

    @property
    def private(self) -> str | None:
        """`folder` as a text."""
        return None if self.folder is None else str(self.folder)

    @property
    def record_kind(self) -> Literal["steps", "stats"]:
        """What a record holds: the scheduler's decisions, or the figures that vLLM tells."""
        return "stats" if self._spec.record_steps == "stats" else "steps"

    def open(self, steps_folder: Path | None = None) -> None:
        """Choose the places; `steps_folder` is where a record goes (None: in the data folder).

        Raises:
            Refusal: this system has no Unix sockets, or the folder for the record can't be made.
        """
        if self._spec.record_steps:
            folder = steps_folder or data_folder() / "steps"
            require_writable_folder(folder)
            stamp = utc_now().partition(".")[0].replace(":", "").rstrip("Z")
            what = self.record_kind
            self.steps_file = folder / f"{stamp}-{uuid.uuid4().hex[:8]}.{what}.jsonl"
        has_sockets = hasattr(asyncio, "open_unix_connection")
        if self._spec.live_limits and not has_sockets:
            raise Refusal("servers.no_unix_sockets", Place(table="target", key="live_limits"))
        if has_sockets and (self._spec.live_limits or self._spec.kind == "local"):
            self.folder = private_folder()
        if self._spec.live_limits and self.folder is not None:
            self.socket = self.folder / "limits"

    def close(self) -> None:
        """Remove a record that never began."""
        for file in step_record_files(self.steps_file) if self.steps_file is not None else ():
            if not file.stat().st_size:
                file.unlink()
        self.socket = None

    async def live_limits(self) -> list[LiveLimit]:
        """Every live limit: its value and range, or the reason why it can't be changed.

        Raises:
            ServerFailedError: no engine answers.
        """
        if self.socket is None:
            return fixed_limits(message("servers.live_limits_off"))
        told = await self.send_order({"get": True})
        return [_limit(name, told) for name in LIVE_LIMITS]

    async def set_limit(self, name: str, value: int) -> int:
        """Set a limit in every engine; returns what it was.

        Raises:
            Refusal: refused; says what would be right.
        """
        if self.socket is None:
            reason = message("servers.live_limits_off")
            raise Refusal("servers.limit_fixed", name=name, reason=reason)
        if name not in LIVE_LIMITS:
            raise Refusal("servers.limit_unknown", name=name, known=LIVE_LIMITS)
        changed = (await self.send_order({"set": {name: value}}))["changed"]
        return int(changed[name]["old"])

    async def send_order(self, order: dict[str, Any]) -> dict[str, Any]:
        """Have all engines carry out an order; returns the answer of the first.

        Raises:
            Refusal: refused.
            ServerFailedError: no engine answers.
        """
        assert self.socket is not None
        answers = [await _send(path, order) for path in sorted(self.socket.parent.glob("limits*"))]
        if not answers:
            raise ServerFailedError("servers.engine_without_socket")
        for answer in answers:
            if "error" in answer:
                raise Refusal("servers.engine_refused", said=str(answer["error"]))
        return answers[0]


def _limit(name: str, told: Mapping[str, Any]) -> LiveLimit:
    """One limit of an engine's answer to `get`."""
    if name not in told["limits"]:
        said = told.get("impossible", {}).get(name)
        if said is None:
            return fixed_limit(name, message("servers.no_such_limit"))
        return fixed_limit(name, message("servers.engine_refused", said=str(said)))
    low, high = told.get("ranges", {}).get(name, (None, None))
    return LiveLimit(name=name, value=told["limits"][name], minimum=low, maximum=high)


async def _send(path: Path, order: dict[str, Any]) -> dict[str, Any]:
    try:
        async with asyncio.timeout(_ANSWER_S):
            reader, writer = await asyncio.open_unix_connection(str(path))
            try:
                writer.write(msgspec.json.encode(order) + b"\n")
                line = await reader.readline()
            finally:
                writer.close()
        return msgspec.json.decode(line, type=dict[str, Any])
    except TimeoutError as error:
        raise ServerFailedError("servers.engine_hangs", seconds=_ANSWER_S) from error
    except (OSError, *UNREADABLE) as error:
        # ValueError: an order that JSON can't write, or an answer that is no line of it.
        raise ServerFailedError("servers.engine_unreachable", cause=str(error)) from error
