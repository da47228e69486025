"""Error answers of vLLM's HTTP server: their form, their texts and their meaning for a client.

Seen on 0.32.0. The same object is the body of a failed answer and an event in a stream that began with 200.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec


class ErrorDetail(msgspec.Struct, frozen=True, kw_only=True):
    """The object under the key `error`."""

    message: str
    type: str
    param: str | None = None
    code: int


class ErrorBody(msgspec.Struct, frozen=True, kw_only=True):
    """The whole JSON object."""

    error: ErrorDetail


REQUEST_LIMIT_TEXT = (
    "The engine is currently busy and cannot accept new requests. "
    "Please try again later or on a different instance."
)
"""`--max-num-queued-reqs` is reached."""
BACKLOG_LIMIT_TEXT = (
    "The engine has reached its prefill token backlog limit. "
    "Please try again later or on a different instance."
)
"""`--max-num-queued-tokens` is reached."""
ENGINE_DEAD_TEXT = "EngineCore encountered an issue. See stack trace (above) for the root cause."
_REJECTION_TYPE = "Service Unavailable"


def rejected(reason: str) -> ErrorBody:
    """Return the 503 of an admission limit; `reason` is a label of `admission_rejections`."""
    text = BACKLOG_LIMIT_TEXT if reason == "max_num_queued_tokens" else REQUEST_LIMIT_TEXT
    return _error(HTTPStatus.SERVICE_UNAVAILABLE, _REJECTION_TYPE, text)


def bad_request(message: str, *, param: str | None = None) -> ErrorBody:
    """Return the 400 of a request that can't be served (prompt too long, max_tokens over the context)."""
    return _error(HTTPStatus.BAD_REQUEST, "BadRequestError", message, param)


def prompt_too_long(prompt_tokens: int, max_model_len: int) -> ErrorBody:
    """Return the 400 of a prompt that leaves no room for one output token."""
    return bad_request(
        f"This model's maximum context length is {max_model_len} tokens. However, your prompt contains "
        f"{prompt_tokens} input tokens, which exceeds this limit even without any output tokens. "
        "Please reduce the length of the input prompt.",
        param="input_tokens",
    )


def invalid_body(message: str, *, param: str | None = None) -> ErrorBody:
    """Return the 400 of a JSON body that lacks a field or has a wrong type."""
    return _error(HTTPStatus.BAD_REQUEST, "Bad Request", message, param)


def unknown_model(name: str) -> ErrorBody:
    """Return the 404 of an unknown model."""
    return _error(HTTPStatus.NOT_FOUND, "NotFoundError", f"The model `{name}` does not exist.", "model")


def engine_dead() -> ErrorBody:
    """Return the 500 after the engine process died; `/health` answers 503 from then on."""
    return _error(HTTPStatus.INTERNAL_SERVER_ERROR, "InternalServerError", ENGINE_DEAD_TEXT)


UNAUTHORIZED_BODY = b'{"error":"Unauthorized"}'
"""Body of a 401: a string instead of an object."""
UNAUTHORIZED_STATUS = int(HTTPStatus.UNAUTHORIZED)


def _error(status: HTTPStatus, kind: str, message: str, param: str | None = None) -> ErrorBody:
    return ErrorBody(error=ErrorDetail(message=message, type=kind, param=param, code=int(status)))


def error_message(answer: Any) -> str | None:
    """Return the text of an `error` in a decoded answer or stream event of any shape; None without one."""
    error = answer.get("error") if isinstance(answer, Mapping) else None
    if isinstance(error, Mapping):
        return str(error.get("message") or error)
    return str(error) if error else None


def is_rejection(answer: Any) -> bool:
    """Return whether a decoded answer or stream event is a refusal by an admission limit.

    A 503 alone isn't: gateways and a dead engine answer it too.
    """
    error = answer.get("error") if isinstance(answer, Mapping) else None
    if not isinstance(error, Mapping) or error.get("code") not in (503, "503"):
        return False
    return (
        error.get("message") in (REQUEST_LIMIT_TEXT, BACKLOG_LIMIT_TEXT)
        or error.get("type") == _REJECTION_TYPE
    )
