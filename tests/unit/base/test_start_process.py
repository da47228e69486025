"""Start of programs: a cancellation at any moment returns, and leaves no process."""

import asyncio
import sys
from asyncio.subprocess import PIPE

import psutil
import pytest

from workbench.base import start_process

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")


@pytest.mark.parametrize("turns", range(4))
async def test_a_cancelled_start_ends_its_program_with_its_descendants(turns: int) -> None:
    """Python's own start never returned if it was cancelled before the pipes were connected."""
    starting = asyncio.create_task(
        start_process(
            "sh", "-c", "sleep 60 & wait", stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
        )
    )
    for _ in range(turns):
        await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(starting, 60)
    left = psutil.Process().children(recursive=True)
    _, alive = await asyncio.to_thread(psutil.wait_procs, left, 10)
    assert [process for process in alive if process.status() != psutil.STATUS_ZOMBIE] == []


async def test_a_program_that_is_missing_is_an_os_error() -> None:
    with pytest.raises(FileNotFoundError):
        await start_process("no-such-program")
