"""Work that may take for ever, broken off when the user says so."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def unless(end: asyncio.Event, work: Coroutine[Any, Any, T]) -> T | None:
    """What `work` returns; None: `end` was set before, and the work has been cancelled and has ended.

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
