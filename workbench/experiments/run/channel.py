"""The conductor's connection to its caller: events out, commands and signals in; either may close."""

import asyncio
import contextlib
import json
import math
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, BinaryIO, TypeVar

import msgspec

from workbench.base import (
    UNREADABLE,
    Message,
    mask_message,
    mask_sentence,
    mask_text,
    mask_value,
    message,
    now,
)
from workbench.experiments.run.events import (
    Command,
    Event,
    MachineSampled,
    PrefillTracked,
    Progress,
    SampleTaken,
    ServerLog,
    encode_event,
    notice,
)

Emit = Callable[[Event], None]


class UserRequests:
    """The user's requests during a plan; the conductor checks and awaits them."""

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        """End the run now, and the plan with it."""
        self.skip = asyncio.Event()
        """End this run and continue with the next."""
        self.end_run = asyncio.Event()
        """Set together with `stop` and with `skip`; a run awaits it."""
        self.stop_after_run = False
        self.limits: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        """Limits of the running server to change: name and value."""

    def trigger(self, command: str) -> None:
        """Set `stop`, `skip` or `stop_after_run`; ignore others, such as a newer window's."""
        if command == "stop":
            self.stop.set()
            self.end_run.set()
        elif command == "skip":
            self.skip.set()
            self.end_run.set()
        elif command == "stop_after_run":
            self.stop_after_run = True

    def apply(self, command: Command) -> None:
        """Apply a command; pass a limit without a name on, so that an event refuses it."""
        if command.command == "limit":
            self.limits.put_nowait((command.name or "", command.value))
        else:
            self.trigger(command.command)

    def next_run(self) -> None:
        """Clear a skip; a stop stays."""
        self.skip.clear()
        if not self.stop.is_set():
            self.end_run.clear()


MOST_LINE = 64 * 1024
"""Bytes of a command line; real commands have a few dozen."""


class BoundedLines:
    """Splits data into whole lines; drops a line longer than MOST_LINE with a warning."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines that `data` completes, without their ends."""
        *ended, rest = data.split(b"\n")
        lines = []
        for part in ended:
            self._add(part)
            if not self._dropping:
                lines.append(bytes(self._rest))
            self._rest, self._dropping = bytearray(), False
        self._add(rest)
        return lines

    def _add(self, part: bytes) -> None:
        if self._dropping:
            return
        self._rest += part
        if len(self._rest) > MOST_LINE:
            said = message("experiments.command_too_long", most_kib=MOST_LINE // 1024)
            sys.stderr.write(f"{said}\n")
            self._rest, self._dropping = bytearray(), True


_MOST_SHOWN = 200
"""Characters of a limit's name and value that are kept in events, refusals and the bench file."""
_LIMIT = re.compile(rb'"command"\s*:\s*"limit"')
_NAME = re.compile(rb'"name"\s*:\s*"([\w .-]{1,200})"')


def command_of(line: bytes) -> Command | None:
    """Return the command of a line, None if it is none; an unreadable `limit` counts, so that it is refused.

    The name and value of a limit are made fit for an event.
    """
    try:
        command = msgspec.json.decode(line, type=Command)
    except UNREADABLE:
        return _loose_limit(line)
    if command.command != "limit":
        return command
    return Command(command="limit", name=_shown(command.name or ""), value=_carried(command.value))


def _loose_limit(line: bytes) -> Command | None:
    """Return a limit read by Python's JSON reader, which accepts NaN, 1e400 and lone surrogates."""
    try:
        loose: Any = json.loads(line.decode(errors="replace"), parse_int=_whole)
    except json.JSONDecodeError:
        return None
    except RecursionError:
        if not _LIMIT.search(line):
            return None
        name = _NAME.search(line)
        shown = name[1].decode() if name else ""
        return Command(command="limit", name=shown, value=str(message("experiments.nested_too_deep")))
    if not isinstance(loose, dict) or loose.get("command") != "limit":
        return None
    value = loose.get("value")
    unwritable = isinstance(value, float) and not math.isfinite(value)
    return Command(
        command="limit",
        name=_shown(str(loose.get("name", ""))),
        value=str(value) if unwritable else _carried(value),
    )


def _whole(digits: str) -> int | str:
    """Return a whole number; keep thousands of digits as text, which Python can't convert."""
    return int(digits) if len(digits) <= _MOST_SHOWN else digits


def _carried(value: Any) -> Any:
    """Return `value` if an event can carry it and it is short, else its first characters."""
    if isinstance(value, str):
        return _shown(value)
    try:
        text = msgspec.json.encode(value)
        msgspec.json.decode(text)
    except UNREADABLE:
        return _shown(ascii(value))
    return value if len(text) <= _MOST_SHOWN else _shown(text.decode())


def _shown(text: str) -> str:
    """Return the text without lone surrogates, cut to `_MOST_SHOWN` characters."""
    whole = text.encode(errors="backslashreplace").decode()
    return whole if len(whole) <= _MOST_SHOWN else whole[:_MOST_SHOWN] + "…"


COMMANDS = ("stop", "skip", "stop_after_run", "limit")
_WARN_EVERY_S = 1.0


class IgnoredLines:
    """Warns of lines that are no commands, at most once a second."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._warned_at: float | None = None
        self._count = 0

    def add(self, at: float) -> None:
        """Count one line at the time `at` (seconds); warn if the last warning is old enough."""
        self._count += 1
        if self._warned_at is not None and at - self._warned_at < _WARN_EVERY_S:
            return
        said = message("experiments.lines_ignored", lines=self._count, known=list(COMMANDS))
        self._warned_at, self._count = at, 0
        self._emit(notice("warning", said))


def read_commands(requests: UserRequests, emit: Emit, descriptor: int = 0) -> None:
    """Read commands from a file descriptor in a thread that ends with it; its end changes nothing.

    Lines that are no commands are ignored with a warning through `emit`.

    The descriptor is read without Python's buffered stream: a daemon thread that holds such a stream's lock
    when the interpreter ends aborts the process.
    """
    loop = asyncio.get_running_loop()
    ignored = IgnoredLines(emit)

    def read() -> None:
        lines = BoundedLines()
        while data := os.read(descriptor, 4096):
            for line in lines.feed(data):
                with contextlib.suppress(RuntimeError):
                    command = command_of(line)
                    if command is not None and command.command in COMMANDS:
                        loop.call_soon_threadsafe(requests.apply, command)
                    elif line.strip():
                        loop.call_soon_threadsafe(ignored.add, now())

    def read_to_the_end() -> None:
        with contextlib.suppress(OSError):
            read()

    threading.Thread(target=read_to_the_end, name="commands", daemon=True).start()


def stop_on_signals(requests: UserRequests) -> None:
    """Stop on SIGINT and SIGTERM; where a loop can't handle signals, Ctrl+C still raises."""
    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM"):
        with contextlib.suppress(NotImplementedError, ValueError):
            loop.add_signal_handler(getattr(signal, name), requests.trigger, "stop")


class LineWriter:
    """Writes events as JSON lines; once the reader is gone it writes nothing and the plan continues."""

    def __init__(self, stream: BinaryIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stdout.buffer
        self._gone = False

    def __call__(self, event: Event) -> None:
        """Write and flush one event."""
        if self._gone:
            return
        try:
            self._stream.write(encode_event(event))
            self._stream.flush()
        except (BrokenPipeError, OSError, ValueError):
            self._gone = True


_ALL_NUMBERS = (SampleTaken, Progress, MachineSampled, PrefillTracked)
"""Events that are sent several times a second and hold no text but the run's name."""
_SENTENCES = ("text", "detail", "why", "refusal")
"""Event fields in which an error or a server may repeat its input."""


def without_secrets(emit: Emit, known: Sequence[str]) -> Emit:
    """Return `emit` that masks secrets: by name and form everywhere, and `known` ones in texts."""

    def emit_masked(event: Event) -> None:
        emit(event if isinstance(event, _ALL_NUMBERS) else _masked(event, known))

    return emit_masked


def _masked(event: Event, known: Sequence[str]) -> Event:
    plain: dict[str, Any] = msgspec.to_builtins(event)
    # The keys of a message are ours: `key` names a setting there, and is no secret.
    said: Message | None = getattr(event, "message", None)
    masked: dict[str, Any] = mask_value(plain if said is None else {**plain, "message": None})
    if said is not None:
        masked["message"] = msgspec.to_builtins(mask_message(said, known))
    for name in _SENTENCES:
        if isinstance(masked.get(name), str):
            masked[name] = mask_sentence(masked[name], known)
    if isinstance(event, ServerLog):
        masked["line"] = mask_text(event.line, known)
    return event if masked == plain else msgspec.convert(masked, type(event))


def stamped(emit: Emit) -> Emit:
    """Return `emit` that sets each event's `t` to the seconds since now."""
    zero = now()

    def emit_stamped(event: Event) -> None:
        emit(msgspec.structs.replace(event, t=round(now() - zero, 3)))

    return emit_stamped


# Work without a time limit, ended when the user asks for it.

T = TypeVar("T")


async def run_until_set(end: asyncio.Event, work: Coroutine[Any, Any, T]) -> T | None:
    """Return the result of `work`; None if `end` was set first, and `work` was cancelled and has ended.

    Raises:
        Exception: as `work` does.
    """
    working = asyncio.create_task(work)
    ended = asyncio.create_task(end.wait())
    try:
        await asyncio.wait({working, ended}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
    finally:
        for task in (working, ended):
            task.cancel()
        await asyncio.gather(working, ended, return_exceptions=True)
    return None
