"""A null server on a machine over SSH, and the load generator held against it on the way that runs take."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Protocol

from workbench.base import WorkbenchError
from workbench.experiments.load_there import hire_there
from workbench.load import HIRE_HERE, NULL_SERVER, Calibration, Hire, calibrate_quickly
from workbench.servers import Reached, TargetSpec, reached

_PYTHON = "python3"
"""As the keeper of servers there is run with."""
_START_S = 30.0
_MOST_SAID = 4096


class Calibrating(Protocol):
    """`calibrate` or `calibrate_quickly`."""

    async def __call__(self, *, url: str, hire: Hire) -> Calibration:
        """Hold load workers of `hire` against the null server at `url`."""


async def calibrate_there(target: TargetSpec, calibrating: Calibrating | None = None) -> Calibration:
    """Through the tunnel, or where the target names a Python for the load workers there, on that machine.

    Quickly, unless another `calibrating` is given.

    Raises:
        InputError: it can't be reached, or the Python there lacks this program.
        WorkbenchError: the null server doesn't start there, or doesn't answer.
    """
    async with reached(target) as machine:
        python = target.load_python
        hire = HIRE_HERE if python is None else await hire_there(machine, python)
        async with _null_server(machine, python or _PYTHON) as port:
            machine.url = f"http://127.0.0.1:{port}"
            # What the null server did is asked through the tunnel in any case.
            here = await machine.forward(port)
            return await (calibrating or calibrate_quickly)(url=f"http://127.0.0.1:{here}", hire=hire)


@asynccontextmanager
async def _null_server(machine: Reached, python: str) -> AsyncIterator[int]:
    """Its port there. The program travels as an argument: nothing is left there, and it ends with us."""
    source = await asyncio.to_thread(NULL_SERVER.read_text, encoding="utf-8")
    process = await machine.start([python, "-u", "-c", source])
    try:
        yield await _port(process, f"{machine.host}: the null server didn't start under {python}")
    finally:
        process.close()


async def _port(process: Any, trouble: str) -> int:
    """Where it says that it listens."""
    try:
        async with asyncio.timeout(_START_S):
            line = (await process.stdout.readline()).decode(errors="replace").strip()
            if line.startswith("listening on "):
                return int(line.rpartition(":")[2])
            said = (await process.stderr.read(_MOST_SAID)).decode(errors="replace").strip().splitlines()
    except TimeoutError as error:
        raise WorkbenchError(f"{trouble} within {_START_S:g} s") from error
    except Exception as error:  # asyncssh is optional here, and its errors are of its own kinds
        raise WorkbenchError(f"{trouble}: {error}") from error
    raise WorkbenchError(f"{trouble}: {said[-1][:200] if said else line[:200] or 'it said nothing'}")
