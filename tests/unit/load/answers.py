"""Answers of servers as bytes, for tests that cut them anywhere."""

import json
from typing import Any

HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
)
TAIL = b"0\r\n\r\n"
DONE = b"data: [DONE]\n\n"
BUSY = {
    "error": {
        "message": "The engine is currently busy and cannot accept new requests. "
        "Please try again later or on a different instance.",
        "type": "Service Unavailable",
        "param": None,
        "code": 503,
    }
}


def chunk(body: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(body), body)


def event(value: Any, end: str = "\n") -> bytes:
    """One server-sent event of JSON."""
    return f"data: {json.dumps(value, ensure_ascii=False)}{end}{end}".encode()


def completion(text: str | None, count: int | None = None, finish: str | None = None) -> dict[str, Any]:
    """One event of /v1/completions; `count`: the running usage."""
    value: dict[str, Any] = {
        "id": "cmpl-1",
        "choices": [{"index": 0, "text": text, "logprobs": None, "finish_reason": finish}],
    }
    if count is not None:
        value["usage"] = {"prompt_tokens": 7, "total_tokens": 7 + count, "completion_tokens": count}
    return value


def chat(delta: dict[str, Any], count: int | None = None, finish: str | None = None) -> dict[str, Any]:
    """One event of /v1/chat/completions."""
    value: dict[str, Any] = {"id": "c-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    if count is not None:
        value["usage"] = {"prompt_tokens": 7, "total_tokens": 7 + count, "completion_tokens": count}
    return value


def usage(count: int, **more: Any) -> dict[str, Any]:
    """The last event, without choices."""
    return {
        "id": "x",
        "choices": [],
        "usage": {"prompt_tokens": 7, "total_tokens": 7 + count, "completion_tokens": count},
        **more,
    }


def stream(*events: Any, done: bool = True, tail: bytes = TAIL) -> bytes:
    """A whole chunked answer, one event a chunk."""
    body = b"".join(chunk(value if isinstance(value, bytes) else event(value)) for value in events)
    return HEAD + body + (chunk(DONE) if done else b"") + tail


def plain(status: int, body: bytes, kind: str = "application/json") -> bytes:
    """An answer with a length."""
    return (
        f"HTTP/1.1 {status} Whatever\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body
