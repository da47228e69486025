"""Start programs from asyncio without hanging when the caller is cancelled meanwhile."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from contextlib import suppress
from typing import Any


async def start_process(*command: str, **options: Any) -> Process:
    """Start a program as `asyncio.create_subprocess_exec` does; a cancellation lets it start, then ends it.

    A cancellation within `create_subprocess_exec` itself never returns: asyncio ends the program, then waits
    for the end of pipes that it has not connected (Python 3.11, `base_subprocess._try_finish`).

    Raises:
        OSError: it can't be executed.
    """
    starting = asyncio.ensure_future(asyncio.create_subprocess_exec(*command, **options))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(OSError):
            _kill(await starting, own_session=bool(options.get("start_new_session")))
        raise


def _kill(process: Process, *, own_session: bool) -> None:
    """Kill it, with its descendants if it has a session of its own."""
    with suppress(ProcessLookupError, PermissionError):
        if own_session and sys.platform != "win32":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
