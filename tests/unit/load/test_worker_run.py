import asyncio
import json

import numpy as np
import pytest

from tests.unit.load.answers import BUSY, DONE, HEAD, TAIL, chunk, completion, event, plain
from tests.unit.load.playing import Request, Server, job_for, play, rows, schedule_at
from workbench.base import now
from workbench.load import LoadOptions
from workbench.load.messages import WorkerDone
from workbench.results.run_records import Outcome
from workbench.traces import Trace as RealTrace
from workbench.traces import closed_loop

QUICK = LoadOptions(drain_s=1.0)


async def _good(request: Request) -> None:
    await request.answer(first_s=0.02, gap_s=0.005)


async def test_that_a_good_answer_has_all_its_stamps_in_order() -> None:
    async with Server(_good) as server:
        played = await play(job_for(server.url, rows(3), schedule_at(0, 0.05, 0.1), QUICK))
    assert [record.index for record in played.by_index()] == [0, 1, 2]
    for record, request in zip(played.by_index(), server.requests, strict=True):
        assert record.outcome == Outcome.COMPLETED
        assert (record.finish_reason, record.status, record.error) == ("length", 200, None)
        assert (record.tokens, record.completion_tokens, record.prompt_tokens) == (3, 3, 7)
        assert record.token_source == "continuous"
        assert record.released == record.due
        assert record.sent is not None
        assert record.first_token is not None
        assert record.last_token is not None
        assert record.done is not None
        assert record.due <= record.sent < record.first_token < record.last_token <= record.done
        assert request.headers["x-request-id"] == record.request_id
        assert record.first_token - (request.at - played.zero) > 0.015
        assert len(record.gap_array()) == 2
    assert isinstance(played.messages[-1], WorkerDone)


async def test_that_requests_leave_at_their_due_times_however_slow_the_server_is() -> None:
    async def slow(request: Request) -> None:
        await server.reached(5)
        await request.answer()

    due = [0.0, 0.03, 0.035, 0.1, 0.15]
    async with Server(slow) as server:
        played = await play(job_for(server.url, rows(5), schedule_at(*due), QUICK))
    assert [record.outcome for record in played.records] == [Outcome.COMPLETED] * 5
    at = {request.headers["x-request-id"]: request.at - played.zero for request in server.requests}
    assert all(at[record.request_id] - record.due > -0.0005 for record in played.records)
    assert server.peak == 5


async def test_that_the_body_asks_for_exactly_the_tokens_and_their_counts() -> None:
    async with Server(_good) as server:
        await play(
            job_for(server.url, rows(1), schedule_at(0), QUICK, api_key="sk-1", headers={"X-Team": "a"})
        )
    (request,) = server.requests
    assert request.path == "/v1/completions"
    assert request.headers["authorization"] == "Bearer sk-1"
    assert request.headers["x-team"] == "a"
    body = request.body
    assert len(body["prompt"]) == 8
    assert all(isinstance(token, int) for token in body["prompt"])
    assert (body["max_tokens"], body["min_tokens"], body["ignore_eos"], body["temperature"]) == (
        3,
        3,
        True,
        0,
    )
    assert body["stream_options"] == {"include_usage": True, "continuous_usage_stats": True}


async def test_that_a_base_path_and_chat_are_followed() -> None:
    async with Server(_good) as server:
        job = job_for(server.url + "/gateway/v1/", rows(1), schedule_at(0), QUICK, endpoint="chat")
        played = await play(job)
    (request,) = server.requests
    assert request.path == "/gateway/v1/chat/completions"
    (message,) = request.body["messages"]
    assert len(message["content"].split()) == 8
    assert played.records[0].input_mode == "text"


async def test_that_the_cap_holds_requests_and_the_wait_is_admission_not_client_delay() -> None:
    async def slow(request: Request) -> None:
        await request.answer(first_s=0.15)

    async with Server(slow) as server:
        options = LoadOptions(drain_s=2.0, max_in_flight=1)
        played = await play(job_for(server.url, rows(3), schedule_at(0, 0, 0), options))
    assert server.peak == 1
    first, second, third = played.by_index()
    assert first.released == first.due
    for before, after in ((first, second), (second, third)):
        assert before.done is not None
        assert after.released is not None
        assert after.sent is not None
        assert before.due < before.done <= after.released <= after.sent


async def test_that_a_request_held_too_long_times_out_unsent() -> None:
    async def slow(request: Request) -> None:
        await request.answer(first_s=0.4)

    async with Server(slow) as server:
        options = LoadOptions(drain_s=2.0, max_in_flight=1, queue_timeout_s=0.1)
        played = await play(job_for(server.url, rows(2), schedule_at(0, 0), options))
    first, second = played.by_index()
    assert first.outcome == Outcome.COMPLETED
    assert (second.outcome, second.sent, second.released) == (Outcome.TIMED_OUT, None, None)
    assert "cap on requests in flight" in str(second.error)
    assert len(server.requests) == 1


async def test_that_an_unanswered_request_times_out_and_its_connection_is_closed() -> None:
    async def never(_: Request) -> None:
        await asyncio.sleep(5)

    async with Server(never) as server:
        options = LoadOptions(drain_s=2.0, request_timeout_s=0.1)
        played = await play(job_for(server.url, rows(1), schedule_at(0), options))
        await asyncio.sleep(0.05)
    (record,) = played.records
    assert record.outcome == Outcome.TIMED_OUT
    assert record.done is not None
    assert record.done - record.due >= 0.1
    assert len(server.lost) == 1


async def test_that_the_client_leaves_after_so_many_tokens() -> None:
    async def endless(request: Request) -> None:
        tokens = [chunk(event(completion("a", number))) for number in range(1, 6)]
        await request.say(HEAD, *tokens)
        await asyncio.Event().wait()

    async with Server(endless) as server:
        job = job_for(server.url, rows(1, output_length=200, cancel_after_tokens=5), schedule_at(0), QUICK)
        played = await play(job)
        await asyncio.sleep(0.05)
    (record,) = played.records
    assert record.outcome == Outcome.CANCELLED
    assert record.tokens == 5
    assert len(server.lost) == 1


async def test_that_the_client_leaves_after_a_time_counted_from_due() -> None:
    async def endless(request: Request) -> None:
        await request.say(HEAD, chunk(event(completion("a", 1))))
        await asyncio.Event().wait()

    async with Server(endless) as server:
        trace_rows = rows(2, output_length=200, cancel_after_ms=150.0)
        played = await play(job_for(server.url, trace_rows, schedule_at(0, 0.02), QUICK))
    for record in played.records:
        assert record.outcome == Outcome.CANCELLED
        assert record.done is not None
        assert record.done - record.due >= 0.15


async def test_that_a_time_scale_divides_due_cancel_and_timeouts_but_stamps_stay_wall_seconds() -> None:
    async def endless(request: Request) -> None:
        await request.say(HEAD, chunk(event(completion("a", 1))))
        await asyncio.Event().wait()

    async with Server(endless) as server:
        options = LoadOptions(drain_s=6000, time_scale=200.0)
        trace_rows = rows(2, output_length=200, cancel_after_ms=20_000.0)
        played = await play(job_for(server.url, trace_rows, schedule_at(0, 20.0), options))
    assert [record.due for record in played.by_index()] == pytest.approx([0.0, 0.1], abs=1e-6)
    for record in played.records:
        assert record.done is not None
        assert 0.1 <= record.done - record.due < 20.0


@pytest.mark.parametrize(
    ("answer", "outcome", "part"),
    [
        (plain(503, json.dumps(BUSY).encode()), Outcome.REJECTED, "currently busy"),
        (HEAD + chunk(event(BUSY)) + chunk(DONE) + TAIL, Outcome.REJECTED, "currently busy"),
        (plain(503, b"no upstream", "text/plain"), Outcome.FAILED, "HTTP 503: no upstream"),
        (plain(500, b'{"error":{"message":"dead","code":500}}'), Outcome.FAILED, "HTTP 500: dead"),
        (plain(429, b""), Outcome.FAILED, "HTTP 429"),
        (HEAD + chunk(event(completion("a", 1))) + chunk(DONE) + TAIL, Outcome.FAILED, "finish_reason"),
        (HEAD + chunk(event(completion("a", 1, "abort"))) + TAIL, Outcome.FAILED, "abort"),
        (b"garbage\r\n\r\n", Outcome.FAILED, "not HTTP"),
    ],
)
async def test_that_each_bad_answer_has_its_outcome(answer: bytes, outcome: Outcome, part: str) -> None:
    async def bad(request: Request) -> None:
        await request.say(answer)

    async with Server(bad) as server:
        played = await play(job_for(server.url, rows(1), schedule_at(0), QUICK))
    (record,) = played.records
    assert record.outcome == outcome
    assert part in str(record.error)


async def test_that_a_reset_in_the_middle_fails_that_request_and_no_other() -> None:
    async def half(request: Request) -> None:
        if request.number == 1:
            await request.say(HEAD, chunk(event(completion("a", 1))))
            await asyncio.sleep(0.02)
            request.writer.transport.abort()
        else:
            await request.answer()

    async with Server(half) as server:
        played = await play(job_for(server.url, rows(3), schedule_at(0, 0.05, 0.1), QUICK))
    outcomes = [record.outcome for record in played.by_index()]
    assert outcomes == [Outcome.COMPLETED, Outcome.FAILED, Outcome.COMPLETED]
    failed = played.by_index()[1]
    assert failed.first_token is not None
    assert "connection" in str(failed.error)


async def test_that_nobody_listening_fails_every_request_with_the_reason() -> None:
    async with Server(_good) as server:
        url = server.url
    played = await play(job_for(url, rows(3), schedule_at(0, 0.01, 0.02), QUICK))
    assert [record.outcome for record in played.records] == [Outcome.FAILED] * 3
    assert all("can't connect" in str(record.error) for record in played.records)


async def test_that_what_is_open_after_the_drain_is_unfinished() -> None:
    async def never(_: Request) -> None:
        await asyncio.sleep(5)

    async with Server(never) as server:
        played = await play(job_for(server.url, rows(2), schedule_at(0, 0.01), LoadOptions(drain_s=0.2)))
    assert [record.outcome for record in played.records] == [Outcome.UNFINISHED] * 2
    assert all("drain" in str(record.error) for record in played.records)


async def test_that_a_stop_ends_open_requests_and_leaves_out_those_not_yet_due() -> None:
    async def never(_: Request) -> None:
        await asyncio.sleep(5)

    async with Server(never) as server:
        job = job_for(server.url, rows(3), schedule_at(0, 0.01, 60.0), QUICK)
        begun = now()
        played = await play(job, stop_after_s=0.3)
    assert now() - begun < 30.0, "it has not waited for the third"
    assert [(record.index, record.outcome) for record in played.by_index()] == [
        (0, Outcome.UNFINISHED),
        (1, Outcome.UNFINISHED),
    ]
    last = played.messages[-1]
    assert isinstance(last, WorkerDone)
    assert last.not_due == 1


async def test_that_a_connection_is_open_before_the_first_request_is_due() -> None:
    async with Server(_good) as server:
        played = await play(job_for(server.url, rows(1), schedule_at(0.6), QUICK))
    assert server.connected[0] - played.zero < 0.6


async def test_that_connections_are_reused() -> None:
    schedule = closed_loop(RealTrace.from_rows(rows(8)), concurrency=1, requests=8)
    async with Server(_good) as server:
        played = await play(job_for(server.url, rows(8), schedule, QUICK))
    assert len(server.requests) == 8
    assert server.connections <= 2
    assert sum(record.connect_ms is not None for record in played.records) <= server.connections


async def test_that_a_server_that_closes_after_each_answer_gets_a_new_connection_each_time() -> None:
    async def closing(request: Request) -> None:
        head = HEAD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        await request.say(head, chunk(event(completion("a", 1, "length"))), chunk(DONE), TAIL)
        request.writer.close()

    async with Server(closing) as server:
        played = await play(job_for(server.url, rows(4), schedule_at(0, 0.05, 0.1, 0.15), QUICK))
    assert [record.outcome for record in played.records] == [Outcome.COMPLETED] * 4


async def test_that_a_turn_is_due_after_the_turn_before_and_its_think_time() -> None:
    trace_rows = [row for turn in range(3) for row in rows(1, session_id="s", turn=turn)]
    schedule = schedule_at(0, 0.01, 0.02, after=[-1, 0, 1], delay_s=[float("nan"), 0.1, float("nan")])
    async with Server(_good) as server:
        played = await play(job_for(server.url, trace_rows, schedule, QUICK))
    first, second, third = played.by_index()
    assert first.done is not None
    assert second.done is not None
    assert second.due == pytest.approx(first.done + 0.1, abs=1e-6)
    assert third.due == pytest.approx(second.done, abs=1e-6)
    assert [record.turn for record in played.by_index()] == [0, 1, 2]
    assert server.peak == 1


async def test_that_a_closed_loop_keeps_its_slots_full_and_takes_the_rows_in_order() -> None:
    trace = RealTrace.from_rows(rows(7))
    async with Server(_good) as server:
        schedule = closed_loop(trace, concurrency=2, requests=7)
        played = await play(job_for(server.url, rows(7), schedule, QUICK))
    records = played.by_index()
    assert [record.outcome for record in records] == [Outcome.COMPLETED] * 7
    assert server.peak == 2
    ends = sorted(record.done for record in records if record.done is not None)
    for record, end in zip(records[2:], ends, strict=False):
        assert record.due == pytest.approx(end, abs=1e-6)


async def test_that_a_closed_loop_by_duration_begins_the_trace_again_until_its_time_is_over() -> None:
    trace = RealTrace.from_rows(rows(2))
    async with Server(_good) as server:
        schedule = closed_loop(trace, concurrency=2, duration_s=0.5)
        played = await play(job_for(server.url, rows(2), schedule, QUICK))
    records = played.by_index()
    assert len(records) > 6
    assert [record.index for record in records] == list(range(len(records)))
    assert {record.row for record in records} == {0, 1}
    assert all(record.due < 0.5 for record in records)
    prompts = [tuple(request.body["prompt"]) for request in server.requests]
    assert len(set(prompts)) == len(prompts)


async def test_that_warm_up_has_requests_and_prompts_of_its_own_before_the_start() -> None:
    async with Server(_good) as server:
        options = LoadOptions(drain_s=1.0, warmup_s=0.4)
        due = np.arange(0, 0.5, 0.1)
        played = await play(job_for(server.url, rows(5), schedule_at(*due), options))
    warm = [record for record in played.records if record.phase == "warmup"]
    measured = [record for record in played.records if record.phase == "measured"]
    assert len(measured) == 5
    assert len(warm) == 5
    assert all(-0.41 <= record.due < 0 for record in warm)
    prompts = [tuple(request.body["prompt"]) for request in server.requests]
    assert len(set(prompts)) == 10
    assert {record.request_id for record in warm} == {f"r-w{i}" for i in range(5)}


async def test_that_a_rejected_request_is_sent_again_only_where_retries_are_asked_for() -> None:
    async def busy_at_first(request: Request) -> None:
        if request.number < 2:
            await request.say(plain(503, json.dumps(BUSY).encode()))
        else:
            await request.answer()

    options = LoadOptions(drain_s=2.0, max_retries=3, retry_backoff_s=0.05)
    async with Server(busy_at_first) as server:
        played = await play(job_for(server.url, rows(1), schedule_at(0), options))
    (record,) = played.records
    assert (record.outcome, record.retries) == (Outcome.COMPLETED, 2)
    assert record.first_token is not None
    assert record.first_token - record.due > 0.1
    assert record.sent is not None
    assert record.sent <= server.requests[0].at - played.zero, "the first sending counts"
    assert len({request.headers["x-request-id"] for request in server.requests}) == 1
    async with Server(busy_at_first) as server:
        played = await play(job_for(server.url, rows(1), schedule_at(0), QUICK))
    assert (played.records[0].outcome, played.records[0].retries) == (Outcome.REJECTED, 0)


async def test_that_snapshots_count_what_happens() -> None:
    async def slow(request: Request) -> None:
        await request.answer(first_s=0.6 if request.number == 2 else 0.01)

    async with Server(slow) as server:
        played = await play(job_for(server.url, rows(3), schedule_at(0, 0.01, 0.02), QUICK))
    last = played.snapshots[-1]
    assert (last.due, last.sent, last.in_flight, last.outcomes) == (3, 3, 0, {"completed": 3})
    assert 3 <= last.events <= 9
    assert sum(len(snapshot.new_ttft_ms) for snapshot in played.snapshots) == 3
    waiting = [snapshot for snapshot in played.snapshots if snapshot.awaiting_first_token]
    assert waiting
    assert waiting[0].oldest_due == pytest.approx(0.02, abs=1e-6)


async def test_that_a_record_follows_the_end_of_its_request_while_others_go_on() -> None:
    heard = asyncio.Event()

    async def one_waits_for_the_other(request: Request) -> None:
        if request.number == 1:
            await heard.wait()
        await request.answer()

    async with Server(one_waits_for_the_other) as server:
        job = job_for(server.url, rows(2), schedule_at(0, 0.1), LoadOptions(drain_s=30.0))
        played = await play(job, on_record=lambda _: heard.set())
    assert [record.outcome for record in played.by_index()] == [Outcome.COMPLETED] * 2
