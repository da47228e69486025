"""A thread for a call that may never return, such as a driver's."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def in_own_thread(call: Callable[[], T]) -> T:
    """Wait for `call` in a thread of its own; a cancelled wait leaves the thread alone.

    Unlike the loop's thread pool, it lets the loop close and the process end.
    """
    import asyncio  # noqa: PLC0415 - slow to load, and every room imports this one

    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if outcome.done():
            return
        if error is not None:
            outcome.set_exception(error)
        else:
            outcome.set_result(result)  # type: ignore[arg-type]  # T may be None itself

    def run() -> None:
        result, failed = None, None
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001  # it is raised where it is waited for
            failed = error
        # RuntimeError: the loop is closed by now, so nothing waits any more.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, result, failed)

    threading.Thread(target=run, name="own-thread-call", daemon=True).start()
    return await outcome
