"""Work that may take for ever ends with a stop, and has cleaned up when that is told."""

import asyncio

import pytest

from workbench.base import WorkbenchError
from workbench.experiments.run.channel import run_until_set


async def test_that_work_which_ends_by_itself_is_waited_for() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 3

    assert await run_until_set(asyncio.Event(), work()) == 3


async def test_that_a_stop_cancels_the_work_and_waits_for_its_end() -> None:
    stop = asyncio.Event()
    said: list[str] = []

    async def work() -> int:
        stop.set()
        try:
            return await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            said.append("cleaned up")

    assert await run_until_set(stop, work()) is None
    assert said == ["cleaned up"]


async def test_that_what_the_work_raises_is_raised() -> None:
    async def work() -> None:
        raise WorkbenchError("no server")

    with pytest.raises(WorkbenchError, match="no server"):
        await run_until_set(asyncio.Event(), work())
