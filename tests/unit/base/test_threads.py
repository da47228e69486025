"""A call that never comes back holds up neither who waits for it nor the end of the process."""

import asyncio
import subprocess
import sys
import threading

import pytest

from workbench.base import in_own_thread

NEVER = """
import asyncio, threading
from workbench.base import in_own_thread

async def main():
    try:
        async with asyncio.timeout(0.2):
            await in_own_thread(threading.Event().wait)
    except TimeoutError:
        print("given up", flush=True)

asyncio.run(main())
"""


async def test_that_results_and_errors_come_back() -> None:
    assert await in_own_thread(lambda: 7) == 7
    assert await in_own_thread(lambda: None) is None
    with pytest.raises(ZeroDivisionError):
        await in_own_thread(lambda: 1 // 0)


def test_that_a_process_ends_while_a_call_hangs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NEVER], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "given up\n", "")


async def test_that_an_answer_which_comes_too_late_disturbs_nobody() -> None:
    go, went = threading.Event(), threading.Event()

    def late() -> int:
        go.wait()
        went.set()
        return 1

    waiting = asyncio.create_task(in_own_thread(late))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go.set()
    await asyncio.to_thread(went.wait)
    await asyncio.sleep(0.05)
