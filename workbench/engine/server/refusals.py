"""Refusals of requests as exceptions, and checks that need more than the body."""

from workbench.vllm_dialect import ErrorBody
from workbench.vllm_dialect import http_errors as errors

_INT64 = 2**63


class Refused(Exception):  # noqa: N818 - an answer to a client, not a fault
    """Answer of a refused request."""

    def __init__(self, body: ErrorBody) -> None:
        super().__init__(body.error.message)
        self.body = body


def invalid(text: str, param: str | None) -> Refused:
    """Return the 400 of vLLM's body validation."""
    return Refused(errors.invalid_body(f"1 validation error:\n  {text}", param=param))


def refused(text: str, param: str | None = None) -> Refused:
    """Return the 400 of a well-formed body that can't be served."""
    return Refused(errors.bad_request(text, param=param))


def is_priority(value: int) -> bool:
    """Return whether a value is in vLLM's range of priorities."""
    return -_INT64 <= value < _INT64


def output_limit(wanted: int | None, min_tokens: int, prompt_tokens: int, max_model_len: int) -> int:
    """Return the tokens of a prompt's answer: `max_tokens`, silently cut to the rest of the context.

    Raises:
        Refused: the prompt leaves no room, or the limits contradict each other.
    """
    if wanted is not None and wanted > max_model_len:
        raise refused(
            f"max_tokens={wanted} cannot be greater than max_model_len={max_model_len}. "
            "Please request fewer output tokens.",
            "max_tokens",
        )
    if prompt_tokens >= max_model_len:
        raise Refused(errors.prompt_too_long(prompt_tokens, max_model_len))
    if wanted is not None and wanted < 1:
        raise refused(f"max_tokens must be at least 1, got {wanted}.", "max_tokens")
    left = max_model_len - prompt_tokens
    limit = left if wanted is None else min(wanted, left)
    if not 0 <= min_tokens <= limit:
        text = f"min_tokens must be less than or equal to max_tokens={limit}, got {min_tokens}."
        raise refused(text, "min_tokens")
    return limit
