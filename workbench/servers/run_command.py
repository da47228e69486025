"""Run short commands of other programs: no terminal, a timeout, bounded output, no process left."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from workbench.base import Place, Record, Refusal, start_process

MOST_OUTPUT = 16 << 20
"""Most bytes of output; the longest usual one, an image's environment, has some thousands."""
_MOST_ERRORS = 64 << 10
_MOST_SHOWN = 300
_CHUNK = 64 << 10
_FAREWELL_S = 2.0
TIMED_OUT = "servers.command_timed_out"
"""Kind of the refusal of a command that was given up."""


class CommandOutput(Record, frozen=True, kw_only=True):
    """Output and exit code of a program."""

    exit_code: int
    output: bytes
    last_error: str
    """The last line of its standard error, short and printable; empty if there is none."""


async def run_program(
    command: Sequence[str],
    *,
    timeout_s: float,
    environment: Mapping[str, str] | None = None,
    folder: str | None = None,
) -> CommandOutput:
    """Run `command` to its end; after the timeout, end it and its descendants.

    `environment` replaces ours, `folder` is the working directory.

    Raises:
        Refusal: it can't be executed, didn't end in time, or printed too much.
    """
    try:
        process = await start_process(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            env=None if environment is None else dict(environment),
            cwd=folder,
        )
    except OSError as error:
        raise Refusal("servers.not_executable", Place(file=command[0]), cause=error.strerror) from error
    try:
        async with asyncio.timeout(timeout_s):
            output, errors = await _read_output(process, command[0])
            await process.wait()
    except BaseException as error:
        await _end(process)
        if isinstance(error, TimeoutError):
            raise Refusal(TIMED_OUT, Place(file=command[0]), seconds=timeout_s) from error
        raise
    return CommandOutput(exit_code=process.returncode or 0, output=output, last_error=_last_line(errors))


async def _read_output(process: asyncio.subprocess.Process, name: str) -> tuple[bytes, bytes]:
    assert process.stdout is not None
    assert process.stderr is not None
    errors = asyncio.create_task(_tail(process.stderr))
    try:
        output = bytearray()
        while data := await process.stdout.read(_CHUNK):
            output += data
            if len(output) > MOST_OUTPUT:
                raise Refusal("servers.too_much_output", Place(file=name), mib=MOST_OUTPUT >> 20)
        return bytes(output), await errors
    finally:
        errors.cancel()


async def _tail(stream: asyncio.StreamReader) -> bytes:
    """Read a stream to its end; return the last bytes."""
    tail = b""
    while data := await stream.read(_CHUNK):
        tail = (tail + data)[-_MOST_ERRORS:]
    return tail


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask it to end, so that docker can undo its work; kill it if it stays.

    Its descendants die with it: it has a session of its own.
    """
    for sign in ("SIGTERM", "SIGKILL"):
        if sys.platform != "win32":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, getattr(signal, sign))
        elif process.returncode is None:
            process.kill()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _FAREWELL_S)


def _last_line(errors: bytes) -> str:
    last = "".join(errors.decode(errors="replace").strip().splitlines()[-1:])
    shown = "".join(letter if letter.isprintable() else "�" for letter in last[: _MOST_SHOWN + 1])
    return shown if len(shown) <= _MOST_SHOWN else shown[:_MOST_SHOWN] + "…"
