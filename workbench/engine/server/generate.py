"""`/v1/completions` and `/v1/chat/completions`: from the body to the engine and back."""

import asyncio
import contextlib
import os
import time
import uuid
from collections.abc import Iterator

from workbench.base import now
from workbench.engine.server import log_lines
from workbench.engine.server.admission import Admission
from workbench.engine.server.asgi import (
    EVENT_STREAM,
    ClientGoneError,
    Receive,
    Scope,
    Send,
    answer,
    answer_error,
    header,
    read_body,
    start,
)
from workbench.engine.server.bodies import Asked, read_chat, read_completion
from workbench.engine.server.frames import Add
from workbench.engine.server.job import EngineJob
from workbench.engine.server.link import EngineLink
from workbench.engine.server.refusals import Refused, is_priority, output_limit
from workbench.engine.server.replies import HttpReply, PromptAnswer
from workbench.engine.server.settings import Settings
from workbench.engine.server.tokens import prompt_seed
from workbench.engine.server.wire import DONE, ReplyWriter, error_event
from workbench.vllm_dialect import http_errors as errors


class Generator:
    """Handlers of the two endpoints that use the engine."""

    def __init__(self, settings: Settings, job: EngineJob, link: EngineLink, admission: Admission) -> None:
        self._settings = settings
        self._job = job
        self._link = link
        self._admission = admission

    async def completions(self, scope: Scope, receive: Receive, send: Send) -> None:
        """`/v1/completions`."""
        await self._serve(scope, receive, send, chat=False)

    async def chat(self, scope: Scope, receive: Receive, send: Send) -> None:
        """`/v1/chat/completions`."""
        await self._serve(scope, receive, send, chat=True)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, *, chat: bool) -> None:
        try:
            task = _Task(self, scope, await read_body(receive), chat=chat)
        except ClientGoneError:
            return
        except Refused as refusal:
            await answer_error(send, refusal.body, _id_header(self._settings, scope))
            return
        try:
            with _watching(receive, task.reply):
                # Reading a prompt takes a turn of vLLM's loop, so a burst passes the first check together.
                await asyncio.sleep(0)
                await (task.stream(send) if task.asked.stream else task.whole(send))
        finally:
            self._link.abort(task.reply.answers)

    # -- for tasks ---------------------------------------------------------------------------------

    def read(self, body: bytes, *, chat: bool) -> Asked:
        """Check a body, and the limits that apply before the prompt is read.

        Raises:
            Refused: with the answer.
        """
        read = read_chat if chat else read_completion
        asked = read(body, self._settings.vocab_size)
        if asked.model and asked.model not in self._settings.served_names:
            raise Refused(errors.unknown_model(asked.model))
        self.require_room()
        return asked

    def require_room(self) -> None:
        """Check the engine and the limits, as vLLM does twice.

        Raises:
            Refused: the engine is dead, or a limit is reached.
        """
        if self._link.dead:
            raise Refused(errors.engine_dead())
        reason = self._admission.refusal()
        if reason:
            raise Refused(errors.rejected(reason))

    def limits(self, asked: Asked) -> list[int]:
        """Return the output tokens of each prompt."""
        length = self._settings.scheduler.max_model_len
        return [
            output_limit(asked.max_tokens, asked.min_tokens, len(prompt), length) for prompt in asked.prompts
        ]

    def submit(self, task: "_Task", index: int) -> None:
        """Hand one prompt to the engine.

        Raises:
            Refused: the second check fails.
        """
        self.require_room()
        asked, prompt = task.asked, task.asked.prompts[index]
        waiting = PromptAnswer(task.reply, index, self._link.number(), prompt)
        task.reply.answers.append(waiting)
        unique = os.urandom(4).hex()
        self._link.add(
            waiting,
            Add(
                handle=waiting.handle,
                id=f"{task.id}-{unique}" if asked.chat else f"{task.id}-{index}-{unique}",
                prompt=prompt,
                max_tokens=task.limits[index],
                stamp=self._job.simulated(now()),
                arrival_time=time.time(),
                output_seed=prompt_seed(prompt),
                priority=task.priority,
                cache_salt=asked.cache_salt,
            ),
        )

    def writer(self, asked: Asked, request_id: str) -> ReplyWriter:
        """Return the writer of a request's answer."""
        settings = self._settings
        name = asked.model or settings.served_names[0]
        return ReplyWriter(
            asked,
            request_id,
            name,
            details=settings.prompt_tokens_details,
            timed=settings.per_request_metrics,
        )

    def interval(self, asked: Asked) -> int | None:
        """Return the tokens that a stream gathers before it sends; None: no stream."""
        return max(self._settings.stream_interval, asked.stream_interval) if asked.stream else None

    def headers(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        """Return extra headers of the answer."""
        return _id_header(self._settings, scope)


class _Task:
    """An HTTP request."""

    def __init__(self, generator: Generator, scope: Scope, body: bytes, *, chat: bool) -> None:
        self.asked = generator.read(body, chat=chat)
        self.limits = generator.limits(self.asked)
        given = header(scope, b"x-request-id") or self.asked.request_id or uuid.uuid4().hex
        self.id = ("chatcmpl-" if chat else "cmpl-") + given
        self.priority = _priority(scope, self.asked.priority)
        self.reply = HttpReply(generator.interval(self.asked))
        self._generator = generator
        self._writer = generator.writer(self.asked, self.id)
        self._headers = generator.headers(scope)

    def _submit_all(self) -> None:
        for index in range(len(self.asked.prompts)):
            self._generator.submit(self, index)

    async def whole(self, send: Send) -> None:
        """Answer once all tokens are there; a stopping server answers with those so far, as vLLM does."""
        reply = self.reply
        try:
            self._submit_all()
        except Refused as refusal:
            reply.fail(refusal.body)
        while reply.open and not reply.cut:
            await reply.news()
        if reply.error:
            await answer_error(send, reply.error, self._headers)
        elif not reply.gone:
            for unanswered in reply.open:
                unanswered.reason = "abort"
            await answer(send, 200, self._writer.whole(reply.answers), headers=self._headers)

    async def stream(self, send: Send) -> None:
        """Send headers at once, then events as they come."""
        reply, writer = self.reply, self._writer
        await start(send, 200, EVENT_STREAM, self._headers)
        try:
            self._submit_all()
        except Refused as refusal:
            reply.fail(refusal.body)
        more = True
        while more:
            news = await reply.news()
            if reply.gone:
                return
            body = writer.events(news)
            if reply.cut or not reply.open:
                more = False
                body += self._end()
            await send({"type": "http.response.body", "body": body, "more_body": more})

    def _end(self) -> bytes:
        """Return the stream's last bytes; after a stop they have neither usage nor finish_reason."""
        error = self.reply.error
        if error:
            log_lines.stream_error(
                "chat completion" if self.asked.chat else "completion", error.error.message
            )
            return error_event(error)
        return DONE if self.reply.open else self._writer.last_events(self.reply.answers)


def _priority(scope: Scope, of_body: int) -> int:
    given = header(scope, b"x-vllm-priority")
    try:
        asked = of_body if given is None else int(given)
    except ValueError:
        return of_body
    return asked if is_priority(asked) else of_body


def _id_header(settings: Settings, scope: Scope) -> list[tuple[bytes, bytes]]:
    if not settings.request_id_headers:
        return []
    return [(b"x-request-id", (header(scope, b"x-request-id") or uuid.uuid4().hex).encode("latin-1"))]


@contextlib.contextmanager
def _watching(receive: Receive, reply: HttpReply) -> Iterator[None]:
    """Close the reply when the client's connection closes."""

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        reply.leave()

    watcher = asyncio.ensure_future(watch())
    try:
        yield
    finally:
        watcher.cancel()
