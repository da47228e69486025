"""The front's end of the socket to the engine, and its requests in flight."""

import asyncio
from typing import Any, cast

from workbench.base import now
from workbench.engine.server.frames import (
    Abort,
    Add,
    Frame,
    Outputs,
    Query,
    QueryReply,
    Splitter,
    StopEngine,
    decode_to_front,
    encode,
)
from workbench.engine.server.job import EngineJob
from workbench.engine.server.lateness import LatenessHistogram
from workbench.engine.server.replies import PromptAnswer
from workbench.vllm_dialect import http_errors as errors

_ANSWER_TIMEOUT_S = 10.0


class EngineGone(Exception):  # noqa: N818 - a state, as vLLM's EngineDeadError
    """The engine's process has ended."""


class EngineLink(asyncio.Protocol):
    """Sends requests and queries, hands outputs to the waiting replies."""

    def __init__(self, job: EngineJob) -> None:
        self.dead = False
        self.died = asyncio.Event()
        self.backlog_tokens = 0
        """Prompt tokens of requests without output so far."""
        self.lateness = LatenessHistogram()
        """Lateness of answers: from a step's end until all its tokens were handed to their sockets."""
        self._job = job
        self._splitter = Splitter()
        self._transport: asyncio.WriteTransport | None = None
        self._under_way: dict[int, PromptAnswer] = {}
        self._questions: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._last_number = 0
        self._stopping = False

    @property
    def unfinished(self) -> int:
        """Requests in the engine, waiting and running."""
        return len(self._under_way)

    # -- to the engine -----------------------------------------------------------------------------

    def number(self) -> int:
        """Return a new number for a request or a query."""
        self._last_number += 1
        return self._last_number

    def add(self, answer: PromptAnswer, message: Add) -> None:
        """Send a request; its outputs go to `answer.reply`."""
        self._under_way[answer.handle] = answer
        self.backlog_tokens += len(answer.prompt)
        self._send(message)

    def abort(self, answers: list[PromptAnswer]) -> None:
        """Abort requests and drop tokens that still arrive."""
        handles = [answer.handle for answer in answers if self._forget(answer)]
        if handles:
            self._send(Abort(handles, self._job.simulated(now())))

    async def query(self, what: str, value: dict[str, Any] | None = None) -> dict[str, Any]:
        """Query the engine.

        Raises:
            EngineGone: the engine ended, or does not answer.
        """
        if self.dead:
            raise EngineGone
        ticket = self.number()
        question: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._questions[ticket] = question
        try:
            self._send(Query(ticket, what, value))
            return await asyncio.wait_for(question, _ANSWER_TIMEOUT_S)
        except TimeoutError as error:
            raise EngineGone from error
        finally:
            self._questions.pop(ticket, None)

    def stop(self) -> None:
        """Order the engine to abort all requests and to end."""
        self._stopping = True
        self._send(StopEngine())

    def _send(self, message: Frame) -> None:
        if self._transport is not None and not self.dead:
            self._transport.write(encode(message))

    # -- from the engine ---------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connected socket."""
        self._transport = cast(
            "asyncio.WriteTransport", transport
        )  # uvloop's transport doesn't inherit from it

    def data_received(self, data: bytes) -> None:
        """Handle outputs of steps and replies to queries."""
        for body in self._splitter.feed(data):
            message = decode_to_front(body)
            if isinstance(message, Outputs):
                self._deliver(message)
                if message.at is not None:
                    self.lateness.add(now() - self._job.wall(message.at))
            elif isinstance(message, QueryReply):
                question = self._questions.get(message.ticket)
                if question is not None and not question.done():
                    question.set_result(message.value)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        """End all replies: the engine's process ended, by our order or by itself."""
        self.dead = True
        for question in self._questions.values():
            if not question.done():
                question.set_exception(EngineGone())
        for reply in {id(answer.reply): answer.reply for answer in self._under_way.values()}.values():
            if self._stopping:
                reply.stop()
            else:
                reply.fail(errors.engine_dead())
        self._under_way.clear()
        self.died.set()

    def _deliver(self, outputs: Outputs) -> None:
        under_way = self._under_way
        for handle, cached in outputs.firsts:
            if answer := under_way.get(handle):
                answer.cached = cached
                self.backlog_tokens -= len(answer.prompt)
        for handle, token in zip(outputs.handles, outputs.tokens, strict=True):
            if answer := under_way.get(handle):
                answer.reply.give(answer, token)
        for ended in outputs.ended:
            if answer := under_way.get(ended.handle):
                self._forget(answer)
                answer.reply.end(answer, ended.reason, ended.timing)

    def _forget(self, answer: PromptAnswer) -> bool:
        if self._under_way.pop(answer.handle, None) is None:
            return False
        if not answer.tokens:
            self.backlog_tokens -= len(answer.prompt)
        return True
