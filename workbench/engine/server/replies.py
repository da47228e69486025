"""A client's request on its way back: what the engine gave for it and the client has not been sent yet.

A reader that is slow (or whose socket is full) finds several tokens together, as with vLLM's output queues.
"""

import asyncio
from collections.abc import Sequence

from workbench.engine.server.frames import Timing
from workbench.vllm_dialect import ErrorBody


class Answering:
    """The answer to one prompt."""

    __slots__ = (
        "cached",
        "handle",
        "index",
        "pending",
        "prompt",
        "queued",
        "reason",
        "reply",
        "timing",
        "tokens",
        "told",
    )

    def __init__(self, reply: "Reply", index: int, handle: int, prompt: list[int]) -> None:
        self.reply = reply
        self.index = index
        self.handle = handle
        self.prompt = prompt
        self.pending: list[int] = []
        """Tokens the client has not been sent."""
        self.tokens = 0
        """Tokens the engine gave so far."""
        self.told = 0
        """Tokens the client was sent."""
        self.cached = 0
        self.reason: str | None = None
        self.timing: Timing | None = None
        self.queued = False


class Reply:
    """All answers of one HTTP request, and the task that waits for them.

    Args:
        interval: tokens to gather before the reader is woken (the first comes alone); None: only at the end.
    """

    def __init__(self, interval: int | None) -> None:
        self.answers: list[Answering] = []
        self.error: ErrorBody | None = None
        """The engine died or the request was refused late."""
        self.gone = False
        """The client closed its connection."""
        self.stopped = False
        """The server stops; what has not begun gets no answer."""
        self._interval = interval
        self._ready: list[Answering] = []
        self._waiter: asyncio.Future[None] | None = None

    def give(self, answer: Answering, token: int) -> None:
        """One more token."""
        answer.pending.append(token)
        answer.tokens += 1
        if not answer.queued and self._interval is not None:
            gathered = len(answer.pending)
            if gathered >= self._interval or answer.tokens == 1:
                self._queue(answer)

    def end(self, answer: Answering, reason: str, timing: Timing | None) -> None:
        """No token comes after this."""
        answer.reason = reason
        answer.timing = timing
        if not answer.queued:
            self._queue(answer)

    def _queue(self, answer: Answering) -> None:
        answer.queued = True
        self._ready.append(answer)
        self.wake()

    def wake(self) -> None:
        """Let the reader look again."""
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def fail(self, error: ErrorBody) -> None:
        """Nothing more comes but this."""
        self.error = error
        self.wake()

    def leave(self) -> None:
        """The client is gone."""
        self.gone = True
        self.wake()

    def stop(self) -> None:
        """The server stops."""
        self.stopped = True
        self.wake()

    @property
    def cut(self) -> bool:
        """Whether it ends before all its answers have."""
        return self.gone or self.stopped or self.error is not None

    @property
    def open(self) -> Sequence[Answering]:
        """Answers that the engine is still at."""
        return [answer for answer in self.answers if answer.reason is None]

    async def news(self) -> list[Answering]:
        """Answers with tokens or an end to tell, at least one unless the reply is `cut`."""
        while not (self._ready or self.cut):
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
            self._waiter = None
        ready, self._ready = self._ready, []
        for answer in ready:
            answer.queued = False
        return ready
