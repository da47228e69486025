"""The front's ASGI application: keys, routes, counts of each request.

A plain ASGI callable: a web framework's layers would cost more for each event of a stream than the event
itself.
"""

import hashlib
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable
from http import HTTPStatus

from workbench.engine.server.asgi import Message, Receive, Scope, Send, answer, answer_error, header
from workbench.engine.server.endpoints import Endpoints
from workbench.engine.server.generate import Generator
from workbench.engine.server.httpmetrics import HttpMetrics
from workbench.vllm_dialect import ErrorBody, ErrorDetail
from workbench.vllm_dialect import http_errors as errors

Handler = Callable[[Scope, Receive, Send], Awaitable[None]]
_GUARDED = ("/v1", "/v2", "/inference", "/cohere")
_UNTEMPLATED = "none"


class App:
    """Routes requests.

    Args:
        endpoints: handlers besides generation.
        generator: handlers of generation.
        http: counts of HTTP requests.
        keys: bearer keys, one of which guarded paths require; empty: all paths are open.
    """

    def __init__(
        self, endpoints: Endpoints, generator: Generator, http: HttpMetrics, keys: Iterable[str]
    ) -> None:
        self._keys = [_digest(key) for key in keys]
        self._endpoints = endpoints
        self._http = http
        self._routes: dict[tuple[str, str], Handler] = {
            ("POST", "/v1/completions"): generator.completions,
            ("POST", "/v1/chat/completions"): generator.chat,
            ("GET", "/v1/models"): endpoints.models,
            ("GET", "/health"): endpoints.health,
            ("GET", "/ping"): endpoints.health,
            ("POST", "/ping"): endpoints.health,
            ("GET", "/version"): endpoints.version,
            ("GET", "/load"): endpoints.load,
            ("GET", "/metrics"): endpoints.metrics,
            ("GET", "/server_info"): endpoints.server_info,
            ("POST", "/reset_prefix_cache"): endpoints.reset_prefix_cache,
            ("POST", "/tokenize"): endpoints.tokenize,
            ("POST", "/detokenize"): endpoints.detokenize,
        }
        self._paths = {path for _, path in self._routes}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the server's own start and end."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, method = scope["path"], scope["method"]
        started = time.perf_counter()
        seen = _Seen(send)
        self._endpoints.in_flight += 1
        try:
            if self._locked(scope, path):
                await answer(seen.send, errors.UNAUTHORIZED_STATUS, errors.UNAUTHORIZED_BODY)
            else:
                await self._handler(method, path)(scope, receive, seen.send)
        finally:
            self._endpoints.in_flight -= 1
        if seen.status:
            self._http.add(
                path if path in self._paths else _UNTEMPLATED,
                method,
                seen.status,
                time.perf_counter() - started,
                received=_number(header(scope, b"content-length")),
                sent=seen.length,
            )

    def _handler(self, method: str, path: str) -> Handler:
        handler = self._routes.get(("GET" if method == "HEAD" else method, path))
        if handler is not None:
            return handler
        return _method_not_allowed if path in self._paths else _not_found

    def _locked(self, scope: Scope, path: str) -> bool:
        if not self._keys or scope["method"] == "OPTIONS" or not path.startswith(_GUARDED):
            return False
        scheme, _, key = (header(scope, b"authorization") or "").partition(" ")
        given = _digest(key)
        return scheme.lower() != "bearer" or not any(
            secrets.compare_digest(given, known) for known in self._keys
        )


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def _number(text: str | None) -> int:
    return int(text) if text and text.isdigit() else 0


class _Seen:
    """Keeps the status and length of a sent answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.length = 0

    async def send(self, message: Message) -> None:
        """Send a message, as ASGI defines."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.length = next(
                (int(value) for key, value in message["headers"] if key == b"content-length"), 0
            )
        await self._send(message)


def _plain_error(status: HTTPStatus) -> ErrorBody:
    return ErrorBody(
        error=ErrorDetail(message=status.phrase, type=status.phrase, param=None, code=int(status))
    )


async def _not_found(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - ASGI
    await answer_error(send, _plain_error(HTTPStatus.NOT_FOUND))


async def _method_not_allowed(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - ASGI
    await answer_error(send, _plain_error(HTTPStatus.METHOD_NOT_ALLOWED))


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
