"""Refusing a request: the answer as an exception, and the checks that need more than its body."""

from workbench.vllm_dialect import ErrorBody
from workbench.vllm_dialect import http_errors as errors

_INT64 = 2**63


class Refused(Exception):  # noqa: N818 - an answer to a client, not a fault
    """The request is answered with this error body."""

    def __init__(self, body: ErrorBody) -> None:
        super().__init__(body.error.message)
        self.body = body


def invalid(text: str, param: str | None) -> Refused:
    """400 of the body's validation, in the form of vLLM's."""
    return Refused(errors.invalid_body(f"1 validation error:\n  {text}", param=param))


def refused(text: str, param: str | None = None) -> Refused:
    """400 of a body that is well formed and can't be served."""
    return Refused(errors.bad_request(text, param=param))


def is_priority(value: int) -> bool:
    """Whether it is in the range that vLLM takes."""
    return -_INT64 <= value < _INT64


def output_limit(wanted: int | None, min_tokens: int, prompt_tokens: int, max_model_len: int) -> int:
    """Tokens that this prompt's answer will have: `max_tokens`, silently cut to what the context leaves.

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
