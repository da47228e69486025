"""What a client is sent when it reads late, and what an event looks like."""

import asyncio
import json
from typing import Any

from workbench.engine.server.bodies import Asked
from workbench.engine.server.frames import Timing
from workbench.engine.server.replies import HttpReply, PromptAnswer
from workbench.engine.server.wire import ReplyWriter, request_metrics
from workbench.vllm_dialect import http_errors as errors


def asked(**changes: Any) -> Asked:
    given = {
        "chat": False, "model": None, "prompts": [[101, 102]], "max_tokens": 9, "min_tokens": 0,
        "stream": True, "include_usage": False, "continuous_usage": False, "return_token_ids": False,
        "stream_interval": 1, "priority": 0, "request_id": None, "cache_salt": None, **changes,
    }  # fmt: skip
    return Asked(**given)


def reply(interval: int | None = 1) -> tuple[HttpReply, PromptAnswer]:
    made = HttpReply(interval)
    answer = PromptAnswer(made, 0, 1, [101, 102])
    made.answers.append(answer)
    return made, answer


def writer(request: Asked) -> ReplyWriter:
    return ReplyWriter(request, "cmpl-x", "m", details=False, timed=True)


def events(body: bytes) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in body.decode().split("\n\n") if line and line != "data: [DONE]"]


async def test_that_a_late_reader_finds_its_tokens_in_one_event() -> None:
    made, answer = reply()
    for token in (200, 201, 202):
        made.give(answer, token)
    made.end(answer, "length", None)
    body = writer(asked(return_token_ids=True)).events(await made.news())
    (event,) = events(body)
    assert event["choices"][0]["token_ids"] == [200, 201, 202]
    assert event["choices"][0]["prompt_token_ids"] == [101, 102]
    assert event["choices"][0]["finish_reason"] == "length"
    assert event["system_fingerprint"]


async def test_that_a_stream_interval_sends_the_first_token_alone_then_groups_then_the_rest() -> None:
    made, answer = reply(3)
    sizes = []
    for k in range(1, 9):
        made.give(answer, 100 + k)
        if k == 8:
            made.end(answer, "length", None)
        if answer.queued:
            (event,) = events(writer(asked(return_token_ids=True)).events(await made.news()))
            sizes.append(len(event["choices"][0]["token_ids"]))
    assert sizes == [1, 3, 3, 1]


async def test_that_an_answer_not_streamed_wakes_its_reader_once() -> None:
    made, answer = reply(None)
    waiting = asyncio.ensure_future(made.news())
    await asyncio.sleep(0)
    made.give(answer, 200)
    await asyncio.sleep(0)
    assert not waiting.done()
    made.end(answer, "length", None)
    assert await waiting == [answer]


async def test_that_an_error_wakes_a_reader_who_waits() -> None:
    made, _ = reply()
    waiting = asyncio.ensure_future(made.news())
    await asyncio.sleep(0)
    made.fail(errors.engine_dead())
    assert await waiting == []
    assert made.cut


async def test_that_plain_and_rare_events_have_the_same_form() -> None:
    made, answer = reply()
    made.give(answer, 200)
    (plain,) = events(writer(asked()).events(await made.news()))
    made, answer = reply()
    made.give(answer, 200)
    (rare,) = events(writer(asked(continuous_usage=True, include_usage=True)).events(await made.news()))
    usage = rare.pop("usage")
    assert usage == {"prompt_tokens": 2, "total_tokens": 3, "completion_tokens": 1}
    assert rare | {"created": 0} == plain | {"created": 0}


def test_that_per_request_metrics_begin_at_scheduling() -> None:
    _, answer = reply()
    answer.tokens, answer.timing = 5, Timing(1.0, 3.0, 3.5, 4.5)
    assert request_metrics(answer) == {
        "time_to_first_token_ms": 500.0,
        "generation_time_ms": 1000.0,
        "queue_time_ms": 2000.0,
        "mean_itl_ms": 250.0,
        "tokens_per_second": 5 / 1.5,
    }
    answer.timing = None
    assert set(request_metrics(answer).values()) == {None}


def test_that_a_preempted_request_tells_how_long_it_waited_again() -> None:
    _, answer = reply()
    answer.tokens, answer.timing = 5, Timing(1.0, 3.0, 3.5, 4.5, requeue_wait=0.25)
    assert request_metrics(answer)["requeue_wait_ms"] == 250.0
