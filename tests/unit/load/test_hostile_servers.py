"""Servers that mean harm or are broken past all sense: a request fails alone, and nothing leaks."""

import pytest

from tests.unit.load.answers import DONE, HEAD, TAIL, chunk, completion, event, plain
from tests.unit.load.playing import Request, Server, job_for, play, rows, schedule_at
from workbench.load import LoadOptions
from workbench.results.run_records import Outcome

QUICK = LoadOptions(drain_s=1.0)


async def test_that_a_server_which_sends_back_what_it_was_sent_puts_no_secret_into_a_record() -> None:
    async def echo(request: Request) -> None:
        body = f"x{'a' * 480} {request.headers['authorization']} {request.headers['x-team']}"
        await request.say(plain(500, body.encode(), "text/plain"))

    secrets = {"api_key": "key-of-the-team", "headers": {"X-Team": "a gateway's secret"}}
    async with Server(echo) as server:
        played = await play(job_for(server.url, rows(1), schedule_at(0), QUICK, **secrets))
    (record,) = played.records
    assert record.outcome is Outcome.FAILED
    assert record.error is not None
    assert record.error.startswith("HTTP 500: xaaa")
    assert "key-of" not in record.error
    assert "gateway" not in record.error


async def test_that_an_endless_line_fails_its_request_with_the_reason() -> None:
    async def endless(request: Request) -> None:
        await request.say(HEAD)
        for _ in range(64):
            await request.say(chunk(b"data: " + b"x" * (1 << 17)))

    async with Server(endless) as server:
        played = await play(job_for(server.url, rows(1), schedule_at(0), QUICK))
    (record,) = played.records
    assert record.outcome is Outcome.FAILED
    assert "longer than 4 MiB" in str(record.error)


@pytest.mark.parametrize("count", [10**30, 2**63, -1])
async def test_that_a_count_that_no_server_can_mean_fails_its_request_alone(count: int) -> None:
    async def boasting(request: Request) -> None:
        await request.say(HEAD, chunk(event(completion("a", count, "length"))), chunk(DONE), TAIL)

    async with Server(boasting) as server:
        played = await play(job_for(server.url, rows(1), schedule_at(0), QUICK))
    (record,) = played.records
    assert record.outcome is Outcome.FAILED
    assert "can't be read" in str(record.error)
