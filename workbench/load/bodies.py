"""Requests built ahead of their due times, in memory that has a bound."""

import asyncio
from collections.abc import Iterator

from workbench.load.body import BodyBuilder
from workbench.load.digest import Digest
from workbench.load.messages import Ask


class Bodies:
    """Bytes of the requests that are due next; at most `most_bytes` of them."""

    def __init__(self, builder: BodyBuilder, digest: Digest, most_bytes: int) -> None:
        self._builder = builder
        self._digest = digest
        self._most_bytes = most_bytes
        self._wanted: dict[tuple[bool, int], Ask] = {}
        self._built: dict[tuple[bool, int], bytes] = {}
        self._bytes = 0
        self._building = False
        self._settled = asyncio.Event()
        self._settled.set()

    async def settle(self) -> None:
        """Until all that was wanted is built, as far as memory allows."""
        await self._settled.wait()

    def want(self, ask: Ask) -> None:
        """Build this one in idle moments, after those wanted before."""
        self._wanted[ask.warmup, ask.index] = ask
        self._go_on()

    def take(self, ask: Ask) -> bytes:
        """The request's bytes, built now if nobody had the time before."""
        key = (ask.warmup, ask.index)
        self._wanted.pop(key, None)
        request = self._built.pop(key, None)
        if request is None:
            return self._builder.whole(ask)
        self._bytes -= len(request)
        self._go_on()
        return request

    def _go_on(self) -> None:
        if not self._building and self._wanted and self._bytes < self._most_bytes:
            self._building = True
            self._settled.clear()
            self._digest.chore(self._build())

    def _build(self) -> Iterator[None]:
        while self._wanted and self._bytes < self._most_bytes:
            key = next(iter(self._wanted))
            ask = self._wanted[key]
            request = b""
            for request in self._builder.pieces(ask):
                if not request:
                    yield
            if self._wanted.pop(key, None) is not None:  # else it was due meanwhile, and built at once
                self._built[key] = request
                self._bytes += len(request)
            yield
        self._building = False
        self._settled.set()
