"""Short questions to other programs: no terminal, a time limit, nothing left running."""

import asyncio
from collections.abc import Sequence

from workbench.base import InputError, Record


class Said(Record, frozen=True, kw_only=True):
    """What a program said and how it ended."""

    exit_code: int
    output: bytes
    last_error: str
    """The last line of its standard error; empty: none."""


async def ask(command: Sequence[str], *, timeout_s: float) -> Said:
    """Run `command` to its end.

    Raises:
        InputError: it can't be executed, or didn't end in time.
    """
    try:
        asked = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        raise InputError(f"{command[0]}: can't be executed: {error.strerror}") from error
    try:
        output, errors = await asyncio.wait_for(asked.communicate(), timeout_s)
    except BaseException as error:
        if asked.returncode is None:
            asked.kill()
        await asked.wait()
        if isinstance(error, TimeoutError):
            raise InputError(f"{command[0]}: no answer within {timeout_s:g} s") from error
        raise
    last = errors.decode(errors="replace").strip().splitlines()[-1:]
    return Said(exit_code=asked.returncode or 0, output=output, last_error=last[0] if last else "")
