"""Answers on their way to the client: tokens that the engine gave and the client has not been sent yet.

A slow reader, or one with a full socket, finds several tokens together, as with vLLM's output queues.
"""

import asyncio
from collections.abc import Sequence

from workbench.engine.server.frames import Timing
from workbench.vllm_dialect import ErrorBody


class PromptAnswer:
    """The answer to one prompt."""

    __slots__ = (
        "cached",
        "handle",
        "index",
        "num_sent",
        "pending",
        "prompt",
        "queued",
        "reason",
        "reply",
        "timing",
        "tokens",
    )

    def __init__(self, reply: "HttpReply", index: int, handle: int, prompt: list[int]) -> None:
        self.reply = reply
        self.index = index
        self.handle = handle
        self.prompt = prompt
        self.pending: list[int] = []
        """Tokens that the client has not been sent."""
        self.tokens = 0
        """Number of tokens from the engine so far."""
        self.num_sent = 0
        """Number of tokens sent to the client."""
        self.cached = 0
        self.reason: str | None = None
        self.timing: Timing | None = None
        self.queued = False


class HttpReply:
    """All answers of one HTTP request, and the task that waits for them.

    Args:
        interval: tokens to gather before the reader is woken (the first comes alone); None: only at the end.
    """

    def __init__(self, interval: int | None) -> None:
        self.answers: list[PromptAnswer] = []
        self.error: ErrorBody | None = None
        """Error of a dead engine or a late refusal."""
        self.gone = False
        """The client closed its connection."""
        self.stopped = False
        """The server stops; answers that have not begun are dropped."""
        self._interval = interval
        self._ready: list[PromptAnswer] = []
        self._waiter: asyncio.Future[None] | None = None

    def give(self, answer: PromptAnswer, token: int) -> None:
        """Add a token."""
        answer.pending.append(token)
        answer.tokens += 1
        if not answer.queued and self._interval is not None:
            gathered = len(answer.pending)
            if gathered >= self._interval or answer.tokens == 1:
                self._queue(answer)

    def end(self, answer: PromptAnswer, reason: str, timing: Timing | None) -> None:
        """End an answer: no token follows."""
        answer.reason = reason
        answer.timing = timing
        if not answer.queued:
            self._queue(answer)

    def _queue(self, answer: PromptAnswer) -> None:
        answer.queued = True
        self._ready.append(answer)
        self.wake()

    def wake(self) -> None:
        """Wake the reader."""
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def fail(self, error: ErrorBody) -> None:
        """End all answers with an error."""
        self.error = error
        self.wake()

    def leave(self) -> None:
        """Note that the client closed its connection."""
        self.gone = True
        self.wake()

    def stop(self) -> None:
        """Note that the server stops."""
        self.stopped = True
        self.wake()

    @property
    def cut(self) -> bool:
        """It ends before all its answers end."""
        return self.gone or self.stopped or self.error is not None

    @property
    def open(self) -> Sequence[PromptAnswer]:
        """Answers that the engine has not finished."""
        return [answer for answer in self.answers if answer.reason is None]

    async def news(self) -> list[PromptAnswer]:
        """Wait for answers with new tokens or an end; returns at least one unless the reply is `cut`."""
        while not (self._ready or self.cut):
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
            self._waiter = None
        ready, self._ready = self._ready, []
        for answer in ready:
            answer.queued = False
        return ready
