"""Opt-in access to a running engine: the file for its step record, the socket for new limits."""

import asyncio
import glob
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from workbench.base import (
    UNREADABLE,
    Message,
    Place,
    Refusal,
    WorkbenchError,
    data_folder,
    message,
    require_writable_folder,
    utc_now,
)
from workbench.controls import LIVE_LIMITS
from workbench.servers.cleanup import private_folder
from workbench.servers.extra_args import engines_of
from workbench.servers.server import LiveLimit, ServerFailedError, explanation_of, fixed_limit, fixed_limits
from workbench.servers.target_spec import TargetSpec


class ChangedLimit(msgspec.Struct, frozen=True):
    """A changed limit in an engine's answer."""

    old: int
    new: int


class EngineAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An engine's answer to an order; it has only the fields of that order."""

    limits: dict[str, int | None] = {}
    ranges: dict[str, tuple[int, int]] = {}
    impossible: dict[str, str] = {}
    """Limits that can't be changed, each with the reason in English."""
    reasons: dict[str, Message] = {}
    """The same reasons as data."""
    recorder: dict[str, float] | None = None
    """Figures of the step recorder; None without one."""
    changed: dict[str, ChangedLimit] = {}
    error: str | None = None
    message: Message | None = None
    """The error as data; None if the engine sends a text only."""


_ANSWER_S = 15.0
"""Timeout of an order: an engine answers between two steps."""


def step_record_files(first: Path) -> list[Path]:
    """Return the existing step records of one server's engines, by rank.

    With data parallelism each engine writes its own: `first`, `first.1` and so on.
    """
    beside = [path for path in first.parent.glob(f"{glob.escape(first.name)}.*") if path.suffix[1:].isdigit()]
    known = [first] if first.exists() else []
    return [*known, *sorted(beside, key=lambda path: int(path.suffix[1:]))]


class EngineAccess:
    """The access that a target asks for. Opened before its server starts, closed after it has ended."""

    def __init__(self, spec: TargetSpec) -> None:
        self.steps_file: Path | None = None
        """The step record, `.steps.jsonl` or `.stats.jsonl`; it stays when the server has ended."""
        self.socket: Path | None = None
        self.folder: Path | None = None
        """Private folder for sockets; the caller of `open` removes it."""
        self._spec = spec

    @property
    def private(self) -> str | None:
        """The folder as a text."""
        return None if self.folder is None else str(self.folder)

    @property
    def record_kind(self) -> Literal["steps", "stats"]:
        """Content of a record: the scheduler's decisions, or figures of vLLM's stat logger."""
        return "stats" if self._spec.record_steps == "stats" else "steps"

    def open(self, steps_folder: Path | None = None) -> None:
        """Choose the places; `steps_folder` is where a record goes (None: in the data folder).

        Raises:
            Refusal: this system has no Unix sockets, or the folder for the record can't be made.
        """
        if self._records(steps_folder):
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

    def _records(self, steps_folder: Path | None) -> bool:
        """Return whether steps are recorded: by default only the embedded engine's, beside a bench file."""
        if self._spec.record_steps is None:
            return self._spec.kind == "embedded" and steps_folder is not None
        return bool(self._spec.record_steps)

    def close(self) -> None:
        """Remove a record that never began."""
        for file in step_record_files(self.steps_file) if self.steps_file is not None else ():
            if not file.stat().st_size:
                file.unlink()
        self.socket = None

    async def live_limits(self) -> list[LiveLimit]:
        """Return every live limit with its value and range, or the reason why it can't be changed.

        Raises:
            ServerFailedError: no engine answers.
        """
        if self.socket is None:
            return fixed_limits(message("servers.live_limits_off"))
        if (missing := self._missing()) is not None:
            return fixed_limits(missing)
        answers = [_require_accepted(await _send(path, {"get": True})) for path in self._sockets()]
        return [_limit(name, answers) for name in LIVE_LIMITS]

    async def set_limit(self, name: str, value: int) -> int:
        """Set a limit in every engine, or in none; return its former value.

        Raises:
            Refusal: refused; says what would be right.
            ServerFailedError: an engine doesn't answer; names those that keep the new value, if any.
        """
        if self.socket is None:
            reason = message("servers.live_limits_off")
            raise Refusal("servers.limit_fixed", name=name, reason=reason)
        if name not in LIVE_LIMITS:
            raise Refusal("servers.limit_unknown", name=name, known=LIVE_LIMITS)
        if (missing := self._missing()) is not None:
            raise Refusal("servers.limit_fixed", name=name, reason=missing)
        before: dict[Path, int] = {}
        try:
            for path in self._sockets():
                answer = _require_accepted(await _send(path, {"set": {name: value}}))
                before[path] = answer.changed[name].old
        except BaseException as error:
            # An engine with fewer blocks refuses what the ones before it took, or one is dead.
            differing = await _set_back(name, before)
            if differing and isinstance(error, WorkbenchError):
                raise ServerFailedError(
                    "servers.limits_differ", name=name, value=value, engines=differing,
                    cause=explanation_of(error),
                ) from error  # fmt: skip
            raise
        return next(iter(before.values()))

    async def send_order(self, order: dict[str, Any]) -> EngineAnswer:
        """Have all engines carry out an order; return the answer of the first.

        Raises:
            Refusal: refused.
            ServerFailedError: no engine answers.
        """
        first, *_ = [_require_accepted(await _send(path, order)) for path in self._sockets()]
        return first

    def _sockets(self) -> list[Path]:
        """Return the engines' sockets, the first one's first.

        Raises:
            ServerFailedError: there is none.
        """
        assert self.socket is not None
        found = sorted(self.socket.parent.glob("limits*"))
        if not found:
            raise ServerFailedError("servers.engine_without_socket")
        return found

    def _missing(self) -> Message | None:
        """Return a message if engines can't be reached, such as those on other machines, else None."""
        found, engines = len(self._sockets()), engines_of(self._spec.args)
        return message("servers.engines_unreached", found=found, engines=engines) if found < engines else None


def _require_accepted(answer: EngineAnswer) -> EngineAnswer:
    """Return an answer.

    Raises:
        Refusal: the engine refused the order.
    """
    if answer.error is not None:
        said = answer.message or message("servers.engine_refused", said=answer.error)
        raise Refusal(said.kind, None, **said.values)
    return answer


async def _set_back(name: str, before: Mapping[Path, int]) -> list[str]:
    """Set a limit back in the engines of these sockets; return the ranks of those where this fails."""
    differing = []
    for path, old in before.items():
        try:
            _require_accepted(await _send(path, {"set": {name: old}}))
        except WorkbenchError:
            differing.append(path.suffix.removeprefix(".") or "0")
    return differing


def _limit(name: str, answers: Sequence[EngineAnswer]) -> LiveLimit:
    """Return one limit of the engines' answers to `get`, with the range that all of them take."""
    for answer in answers:
        if name in answer.reasons:
            return fixed_limit(name, answer.reasons[name])
        if name in answer.impossible:
            return fixed_limit(name, message("servers.engine_refused", said=answer.impossible[name]))
        if name not in answer.limits:
            return fixed_limit(name, message("servers.no_such_limit"))
    ranges = [answer.ranges[name] for answer in answers if name in answer.ranges]
    low = max((each[0] for each in ranges), default=None)
    high = min((each[1] for each in ranges), default=None)
    return LiveLimit(name=name, value=answers[0].limits[name], minimum=low, maximum=high)


async def _send(path: Path, order: dict[str, Any]) -> EngineAnswer:
    try:
        async with asyncio.timeout(_ANSWER_S):
            reader, writer = await asyncio.open_unix_connection(str(path))
            try:
                writer.write(msgspec.json.encode(order) + b"\n")
                line = await reader.readline()
            finally:
                writer.close()
        return msgspec.json.decode(line, type=EngineAnswer)
    except TimeoutError as error:
        raise ServerFailedError("servers.engine_hangs", seconds=_ANSWER_S) from error
    except (OSError, *UNREADABLE) as error:
        # ValueError: an order that JSON can't write, or an answer that is no line of it.
        raise ServerFailedError("servers.engine_unreachable", cause=str(error)) from error
