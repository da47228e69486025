import gzip
import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.load.answers import BUSY, DONE, HEAD, chat, chunk, completion, event, plain, stream, usage
from workbench.base import Message, message
from workbench.load.response import Response, judge
from workbench.results.run_records import Outcome


def _read(*reads: bytes, closed: bool = False) -> Response:
    """A reply whose n-th read comes at n seconds."""
    reply = Response()
    for stamp, data in enumerate(reads):
        reply.read(float(stamp), data)
    if closed:
        reply.end(float(len(reads)))
    reply.settle()
    return reply


RESET = message("load.connection_lost", cause="reset")


def _verdict(reply: Response, lost: Message | None = None) -> Outcome:
    return judge(reply, lost)[0]


def _judged(reply: Response, lost: Message | None = None) -> tuple[Outcome, str]:
    outcome, why = judge(reply, lost)
    return outcome, str(why)


def _facts(reply: Response) -> tuple[Any, ...]:
    return (
        reply.status,
        reply.complete,
        reply.finish_reason,
        reply.prompt_tokens,
        reply.completion_tokens,
        reply.tokens.total,
        reply.counted_by,
        reply.error,
        reply.broken,
        judge(reply, None if reply.complete else RESET),
    )


LINES = b"".join(
    json.dumps(value).encode() + b"\n"
    for value in (completion(" a", 1), completion(" b", 2), completion(" c", 3, "length"))
)
WHOLE = {"choices": [{"text": " a", "finish_reason": "length"}], "usage": {"completion_tokens": 1}}
WHOLE_ANSWERS = {
    "completions with running counts": stream(
        completion(" a", 1), completion(" b", 2), completion("é🙂", 5), completion("", 6, "length"), usage(6)
    ),
    "completions without counts": stream(completion(" a"), completion(" b"), completion(" c", None, "stop")),
    "completions with usage at the end": stream(completion(" a"), completion(" b", None, "length"), usage(5)),
    "chat, role first": stream(
        chat({"role": "assistant", "content": ""}, 0),
        chat({"content": "x"}, 1),
        chat({"content": "y"}, 2, "stop"),
        usage(2),
    ),
    "CRLF": stream(event(completion(" a", 1), "\r\n"), event(completion(" b", 2, "length"), "\r\n")),
    "comments": stream(b": keep-alive\n\n", completion(" a", 1), b":\n\n", completion(" b", 2, "length")),
    "an error in a 200": stream(completion(" a", 1), {"error": {"message": "boom", "code": 500}}),
    "a rejection in a 200": stream(BUSY),
    "no finish reason": stream(completion(" a", 1), completion(" b", 2)),
    "abort": stream(completion(" a", 1), completion("", 1, "abort")),
    "503, rejected": plain(503, json.dumps(BUSY).encode()),
    "503, a gateway's": plain(503, b"<html>upstream gone</html>", "text/html"),
    "500": plain(500, b'{"error":{"message":"dead","type":"InternalServerError","code":500}}'),
    "429": plain(429, b"slow down", "text/plain"),
    "401": plain(401, b'{"error":"Unauthorized"}'),
    "an empty 500": plain(500, b"", "text/plain"),
    "events in one chunk": HEAD
    + chunk(
        event(completion(" a", 1)) + event(completion(" b", 2)) + event(completion(" c", 3, "length")) + DONE
    )
    + b"0\r\n\r\n",
    "trailers": stream(completion(" a", 1, "length"), tail=b"0\r\nX-Checksum: 1\r\n\r\n"),
    "fields after the data": stream(
        event(completion(" a", 1))[:-1] + b"id: 7\n\n", event(completion(" b", 2, "length"))[:-1] + b"x\n\n"
    ),
    "not JSON": stream(b"data: {oops\n\n"),
    "lines of JSON": plain(200, LINES, "application/x-ndjson"),
    "lines of JSON, CRLF": plain(200, LINES.replace(b"\n", b"\r\n"), "application/json"),
    "records of JSON": plain(200, b"".join(b"\x1e" + line + b"\n" for line in LINES.splitlines())),
    "a JSON body in many lines": plain(200, json.dumps(WHOLE, indent=1).encode()),
    "a JSON body after signs of life": plain(200, b" \n \n" + json.dumps(WHOLE).encode() + b"\n"),
    "events under another type": plain(200, event(completion(" a", 1, "length")) + DONE),
    "events after signs of life": plain(200, b"\n\n: a\n\n" + event(completion(" a", 1, "length")) + DONE),
    "an event named error": stream(
        completion(" a", 1), b'event: error\ndata: {"message":"m","code":503}\n\n'
    ),
    "an error in a comment": stream(completion(" a", 1), b'event: error\n: "gone"\n\n'),
    "a field error": stream(completion(" a", 1), b'error: {"code":500,"message":"gone"}\n\n'),
    "an error as an event": plain(500, b'event: error\ndata: {"error":{"message":"dead"}}\n\n'),
    "a page": plain(200, b"<html>sign in</html>", "text/html"),
    "empty events": stream(b"data:\n\n", b"data: \n\n", completion(" a", 1, "length"), b"data: null\n\n"),
}


@pytest.mark.parametrize("name", WHOLE_ANSWERS)
def test_that_an_answer_means_the_same_cut_at_every_position(name: str) -> None:
    data = WHOLE_ANSWERS[name]
    whole = _facts(_read(data))
    assert whole[1], "the answer is complete"
    for place in range(len(data) + 1):
        assert _facts(_read(data[:place], data[place:])) == whole, f"cut at {place}"


@settings(deadline=None)
@given(st.sampled_from(sorted(WHOLE_ANSWERS)), st.lists(st.integers(0, 3000), max_size=60))
def test_that_an_answer_means_the_same_in_any_pieces(name: str, places: list[int]) -> None:
    data = WHOLE_ANSWERS[name]
    bounds = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    pieces = [data[a:b] for a, b in itertools.pairwise(bounds)]
    assert _facts(_read(*pieces)) == _facts(_read(data))


@pytest.mark.parametrize("name", WHOLE_ANSWERS)
def test_that_an_answer_cut_off_is_never_complete_unless_all_was_said(name: str) -> None:
    data = WHOLE_ANSWERS[name]
    for place in range(len(data)):
        reply = _read(data[:place], closed=True)
        verdict, why = judge(reply, RESET)
        assert verdict != Outcome.COMPLETED or reply.done_mark or b"[DONE]" not in data, f"cut at {place}"
        assert (why is None) == (verdict == Outcome.COMPLETED)


@given(st.binary(max_size=300))
def test_that_no_bytes_whatever_raise(data: bytes) -> None:
    assert _verdict(_read(data, closed=True), "lost") in Outcome
    assert _verdict(_read(HEAD + chunk(data) if data else HEAD, closed=True), "lost") == Outcome.FAILED


def test_that_stamps_are_those_of_the_read_that_completed_the_event() -> None:
    first, second = event(completion(" a", 1)), event(completion(" b", 2, "length"))
    reply = _read(HEAD, chunk(first)[:9], chunk(first)[9:], chunk(second) + chunk(DONE), b"0\r\n\r\n")
    assert (reply.headers_at, reply.tokens.first, reply.tokens.last, reply.completed_at) == (
        0.0,
        2.0,
        3.0,
        4.0,
    )


def test_that_the_role_alone_is_no_first_token() -> None:
    role = chat({"role": "assistant", "content": ""})
    reply = _read(HEAD, chunk(event(role)), chunk(event(chat({"content": "x"}))))
    assert reply.tokens.first == 2.0
    counted = chat({"role": "assistant", "content": ""}, 1)
    reply = _read(HEAD, chunk(event(counted)), chunk(event(chat({"content": "x"}, 2))))
    assert (reply.tokens.first, reply.tokens.first_count) == (2.0, 2)


def test_that_an_empty_first_event_without_a_count_is_no_token() -> None:
    reply = _read(HEAD, chunk(event(completion(""))), chunk(event(completion(" a"))))
    assert (reply.tokens.first, reply.tokens.total) == (2.0, 1)


def test_that_a_counted_token_without_text_is_a_token() -> None:
    reply = _read(HEAD, chunk(event(completion("", 1))), chunk(event(completion("é", 2))))
    assert (reply.tokens.first, reply.tokens.total) == (1.0, 2)


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning": "hm"},
        {"reasoning_content": "hm"},
        {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": ""}}]},
        {"refusal": "no"},
        {"role": "assistant", "content": "x"},
    ],
)
def test_that_reasoning_and_tool_calls_are_tokens_too(delta: dict[str, Any]) -> None:
    reply = _read(HEAD, chunk(event(chat({"role": "assistant"}))), chunk(event(chat(delta))))
    assert reply.tokens.first == 2.0


def test_that_tokens_held_back_by_a_parser_come_with_the_event_that_counts_them() -> None:
    reply = _read(HEAD, chunk(event(chat({"content": "x"}, 1))), chunk(event(chat({"content": "yz"}, 4))))
    assert reply.tokens.total == 4
    assert reply.counted_by == "continuous"


def test_that_usage_at_the_end_settles_the_count() -> None:
    reply = _read(
        HEAD,
        chunk(event(completion(" a"))),
        chunk(event(completion(" b c d e"))),
        chunk(event(completion(" f", None, "length"))),
        chunk(event(usage(6))) + chunk(DONE) + b"0\r\n\r\n",
    )
    assert (reply.counted_by, reply.tokens.total, reply.completion_tokens) == ("usage", 6, 6)


def test_that_without_any_usage_events_are_counted_and_said_to_be() -> None:
    reply = _read(WHOLE_ANSWERS["completions without counts"])
    assert (reply.counted_by, reply.tokens.total, reply.completion_tokens) == ("events", 3, None)


def test_that_the_servers_own_times_are_read_from_the_last_event() -> None:
    metrics = {"queue_time_ms": 12.5, "time_to_first_token_ms": 80.0, "other": 1}
    reply = _read(stream(completion(" a", 1, "length"), usage(1, metrics=metrics)))
    assert reply.metrics is not None
    assert (reply.metrics.queue_time_ms, reply.metrics.time_to_first_token_ms) == (12.5, 80.0)


@pytest.mark.parametrize("wrong", [-5.0, 1e300])
def test_that_a_time_which_a_server_cannot_mean_is_unknown_and_costs_no_answer(wrong: float) -> None:
    metrics = {"queue_time_ms": wrong, "time_to_first_token_ms": 80.0}
    reply = _read(stream(completion(" a", 1, "length"), usage(1, metrics=metrics)))
    assert reply.metrics is not None
    assert (reply.metrics.queue_time_ms, reply.metrics.time_to_first_token_ms) == (None, 80.0)
    assert (reply.tokens.total, reply.completion_tokens) == (1, 1)


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("completions with running counts", Outcome.COMPLETED),
        ("chat, role first", Outcome.COMPLETED),
        ("an error in a 200", Outcome.FAILED),
        ("a rejection in a 200", Outcome.REJECTED),
        ("no finish reason", Outcome.FAILED),
        ("abort", Outcome.FAILED),
        ("503, rejected", Outcome.REJECTED),
        ("503, a gateway's", Outcome.FAILED),
        ("500", Outcome.FAILED),
        ("429", Outcome.FAILED),
        ("401", Outcome.FAILED),
        ("an empty 500", Outcome.FAILED),
        ("not JSON", Outcome.FAILED),
    ],
)
def test_that_each_ending_has_its_outcome(name: str, outcome: Outcome) -> None:
    assert _verdict(_read(WHOLE_ANSWERS[name])) == outcome


@pytest.mark.parametrize("reason", ["stop", "length", "tool_calls", "repetition"])
def test_that_the_good_finish_reasons_complete(reason: str) -> None:
    assert _verdict(_read(stream(completion(" a", 1, reason)))) == Outcome.COMPLETED


def test_that_a_reset_after_everything_was_said_still_completes() -> None:
    reply = _read(stream(completion(" a", 1, "length"), tail=b""), closed=True)
    assert judge(reply, RESET)[0] == Outcome.COMPLETED


def test_that_a_reset_in_the_middle_fails_and_says_so() -> None:
    reply = _read(stream(completion(" a", 1), done=False, tail=b""), closed=True)
    assert judge(reply, RESET) == (Outcome.FAILED, RESET)


def test_that_errors_carry_status_and_text() -> None:
    assert _judged(_read(WHOLE_ANSWERS["500"]))[1] == "HTTP 500: dead"
    assert _judged(_read(WHOLE_ANSWERS["429"]))[1] == "HTTP 429: slow down"
    assert _judged(_read(WHOLE_ANSWERS["401"]))[1] == "HTTP 401: Unauthorized"
    assert _judged(_read(WHOLE_ANSWERS["an empty 500"]))[1] == "HTTP 500"


def test_that_a_body_without_length_ends_with_its_connection() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    reply = _read(head, event(completion(" a", 1, "length")) + DONE, closed=True)
    assert reply.complete
    assert not reply.keep_alive
    assert _verdict(reply, "the server closed the connection") == Outcome.COMPLETED


def test_that_an_interim_answer_is_passed_over() -> None:
    reply = _read(b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE_ANSWERS["completions with running counts"])
    assert (reply.status, _verdict(reply)) == (200, Outcome.COMPLETED)


def test_that_a_server_that_ignores_stream_is_understood_and_has_no_token_times() -> None:
    body = {
        "choices": [{"index": 0, "text": " a b", "finish_reason": "length"}],
        "usage": {"completion_tokens": 2},
    }
    reply = _read(plain(200, json.dumps(body).encode()))
    assert (_verdict(reply), reply.tokens.total, reply.counted_by) == (Outcome.COMPLETED, 2, "usage")
    assert (reply.tokens.first, reply.tokens.last, reply.tokens.arrivals) == (None, None, 0)


def test_that_a_null_error_is_none() -> None:
    assert _verdict(_read(stream({**completion(" a", 1, "stop"), "error": None}))) == Outcome.COMPLETED


def test_that_what_is_not_http_fails_with_a_reason() -> None:
    outcome, why = judge(_read(b"SSH-2.0-OpenSSH_9.2\r\n"), None)
    assert outcome == Outcome.FAILED
    assert why is not None
    assert why.kind == "load.not_http"


def test_that_a_page_in_place_of_an_answer_is_shown_with_what_it_is() -> None:
    outcome, why = judge(_read(WHOLE_ANSWERS["a page"]), None)
    assert outcome == Outcome.FAILED
    assert why == message("load.not_a_stream", answer="<html>sign in</html>")


NAMED = {
    b'event: error\n: "engine shut down"\n\n': "engine shut down",
    b'event: error\ndata: {"message":"out of memory","code":500}\n\n': "out of memory",
    b"event: error\ndata: out of memory\n\n": "out of memory",
    b"event: response.failed\ndata: no more\n\n": "no more",
    b'error: {"code":500,"message":"slot gone"}\n\n': "slot gone",
    b"event: error\n\n": "an error event without words",
    b"data: \n\n: engine died\n\n": (
        "the stream ended without a finish_reason; the server's last words: engine died"
    ),
    b'data: {"code":500,"detail":"engine died"}\n\n': "the stream ended without a finish_reason; "
    'the server\'s last words: {"code":500,"detail":"engine died"}',
    b": keep-alive\n\n": "the stream ended without a finish_reason",
}


@pytest.mark.parametrize("said", NAMED)
def test_that_the_cause_is_heard_however_a_stream_tells_it(said: bytes) -> None:
    assert _judged(_read(stream(completion(" a", 1), said))) == (Outcome.FAILED, NAMED[said])


def test_that_a_rejection_in_an_event_named_error_is_one() -> None:
    said = b"event: error\ndata: " + json.dumps(BUSY["error"]).encode() + b"\n\n"
    assert _verdict(_read(stream(said))) == Outcome.REJECTED


@pytest.mark.parametrize("error", [None, {}, "", False, 0, [], {"code": 0, "message": ""}, {"code": None}])
def test_that_an_empty_error_is_none(error: object) -> None:
    assert _verdict(_read(stream({**completion(" a", 1, "stop"), "error": error}))) == Outcome.COMPLETED
    whole = plain(200, json.dumps({**WHOLE, "error": error}).encode())
    assert _verdict(_read(whole)) == Outcome.COMPLETED


@pytest.mark.parametrize("error", ["gone", {"code": 500}, {"message": "gone"}, True, ["gone"]])
def test_that_any_other_error_is_one(error: object) -> None:
    assert _verdict(_read(stream({**completion(" a", 1, "stop"), "error": error}))) == Outcome.FAILED


@pytest.mark.parametrize("name", ["lines of JSON", "lines of JSON, CRLF", "records of JSON"])
def test_that_lines_of_json_are_a_stream_with_times(name: str) -> None:
    head, _, body = WHOLE_ANSWERS[name].partition(b"\r\n\r\n")
    first, second, third = body.splitlines(keepends=True)
    reply = _read(head + b"\r\n\r\n", first, second, third)
    assert (reply.tokens.first, reply.tokens.last, reply.tokens.total) == (1.0, 3.0, 3)
    assert _verdict(reply) == Outcome.COMPLETED


def test_that_events_under_a_type_of_json_have_times() -> None:
    head = HEAD.replace(b"text/event-stream", b"application/json")
    first, second = event(completion(" a", 1)), event(completion(" b", 2, "length"))
    reply = _read(head, chunk(first[:3]), chunk(first[3:]), chunk(second), chunk(DONE) + b"0\r\n\r\n")
    assert (reply.tokens.first, reply.tokens.last, _verdict(reply)) == (2.0, 3.0, Outcome.COMPLETED)


@pytest.mark.parametrize("coding", ["none", "", "identity", "identity, ", "utf-8", "NONE"])
def test_that_an_encoding_which_changes_nothing_is_passed_over(coding: str) -> None:
    head = HEAD.replace(b"\r\n\r\n", f"\r\nContent-Encoding: {coding}\r\n\r\n".encode())
    answer = head + chunk(event(completion(" a", 1, "length"))) + chunk(DONE) + b"0\r\n\r\n"
    assert _verdict(_read(answer)) == Outcome.COMPLETED


def test_that_not_a_number_in_an_event_costs_no_answer() -> None:
    said = b'data: {"choices":[{"text":"a","finish_reason":"length","logprobs":NaN}],"usage":null}\n\n'
    assert _verdict(_read(stream(said))) == Outcome.COMPLETED


def test_that_blanks_before_an_answer_fill_no_memory() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
    reply = _read(head, *[b" \n" * 4096] * 8, json.dumps(WHOLE).encode(), closed=True)
    assert _verdict(reply) == Outcome.COMPLETED


@pytest.mark.parametrize("depth", [300, 500, 900])
def test_that_members_within_members_are_read_however_deep(depth: int) -> None:
    deep = b"[" * depth + b'"a"' + b"]" * depth
    content = b'data: {"choices":[{"delta":{"content":' + deep + b'},"finish_reason":"stop"}]}\n\n'
    other = b'data: {"choices":[{"delta":{"thoughts":' + deep + b'},"finish_reason":"stop"}]}\n\n'
    for said in (content, other):
        reply = _read(stream(said))
        assert (reply.tokens.events, _verdict(reply)) == (1, Outcome.COMPLETED)
    assert _verdict(_read(stream(b'data: {"error":' + deep + b"}\n\n"))) == Outcome.FAILED


def test_that_a_redirect_says_where_the_server_is_without_what_may_be_a_key() -> None:
    answer = (
        b"HTTP/1.1 307 Temporary Redirect\r\nLocation: https://gate/v1/completions?key=sk-1\r\n"
        b"Content-Length: 0\r\n\r\n"
    )
    assert _judged(_read(answer)) == (
        Outcome.FAILED,
        "HTTP 307: the server is at https://gate/v1/completions: give that address",
    )


def test_that_a_compressed_answer_fails_with_the_reason() -> None:
    body = gzip.compress(event(completion(" a", 1, "stop")) + DONE)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n"
    outcome, why = judge(_read(head + b"Content-Length: %d\r\n\r\n" % len(body) + body), None)
    assert outcome == Outcome.FAILED
    assert why == message("load.compressed", encoding="gzip")
