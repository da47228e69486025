"""ASGI helpers of the handlers: types, complete bodies, JSON answers."""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

import msgspec

from workbench.vllm_dialect import ErrorBody

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]

JSON = b"application/json"
EVENT_STREAM = b"text/event-stream; charset=utf-8"
TEXT = b"text/plain; version=1.0.0; charset=utf-8"


class ClientGoneError(Exception):
    """The connection closed while its request was read."""


async def read_body(receive: Receive) -> bytes:
    """Read the complete request body.

    Raises:
        ClientGoneError: the connection closed before its end.
    """
    chunks: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        chunks.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(chunks)


def header(scope: Scope, name: bytes) -> str | None:
    """Return a request header by its lower-case name."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


async def start(send: Send, status: int, content_type: bytes, headers: Headers = ()) -> None:
    """Send status line and headers."""
    fields = [(b"content-type", content_type), *headers]
    await send({"type": "http.response.start", "status": status, "headers": fields})


async def answer(
    send: Send, status: int, body: bytes, content_type: bytes = JSON, headers: Headers = ()
) -> None:
    """Send a complete answer."""
    await start(send, status, content_type, [(b"content-length", b"%d" % len(body)), *headers])
    await send({"type": "http.response.body", "body": body})


async def answer_json(send: Send, value: Any, status: int = 200, headers: Headers = ()) -> None:
    """Send a complete answer as JSON."""
    await answer(send, status, msgspec.json.encode(value), headers=headers)


async def answer_error(send: Send, error: ErrorBody, headers: Headers = ()) -> None:
    """Send an error object with its own status."""
    await answer_json(send, error, error.error.code, headers)
