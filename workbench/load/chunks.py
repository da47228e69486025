"""The JSON of a streamed answer: `/v1/completions` and `/v1/chat/completions`, one object an event."""

from typing import Annotated, Any

import msgspec

from workbench.results import told_ms

Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
"""Of tokens; an event with another can't be read."""


class Delta(msgspec.Struct, gc=False):
    """What a chat event adds to the message."""

    role: str | None = None
    content: Any = None
    reasoning: Any = None
    reasoning_content: Any = None
    """The name of `reasoning` before vLLM 0.11 and on other servers."""
    tool_calls: Any = None
    function_call: Any = None
    refusal: Any = None

    def shows_output(self) -> bool:
        """Whether it carries something that the model generated, rather than a role alone."""
        return bool(
            self.content
            or self.reasoning
            or self.reasoning_content
            or self.tool_calls
            or self.function_call
            or self.refusal
        )


class Choice(msgspec.Struct, gc=False):
    """One entry of `choices`."""

    text: str | None = None
    delta: Delta | None = None
    message: Delta | None = None
    """In place of `delta` where a server answers in one piece."""
    finish_reason: str | None = None


class Usage(msgspec.Struct, gc=False):
    """The server's own count, running or final."""

    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None


class ServerMetrics(msgspec.Struct, gc=False):
    """`--enable-per-request-metrics`: milliseconds as the server reports them."""

    queue_time_ms: float | None = None
    time_to_first_token_ms: float | None = None
    """From scheduling to the first token: vLLM's prefill time, not a client's TTFT."""
    requeue_wait_ms: float | None = None
    """Waiting again after preemptions; only the embedded engine tells it."""

    def __post_init__(self) -> None:
        self.queue_time_ms = told_ms(self.queue_time_ms)
        self.time_to_first_token_ms = told_ms(self.time_to_first_token_ms)
        self.requeue_wait_ms = told_ms(self.requeue_wait_ms)


class Chunk(msgspec.Struct, gc=False):
    """One event of a stream."""

    choices: list[Choice] | None = None
    usage: Usage | None = None
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    metrics: ServerMetrics | None = None
    object: str | None = None


decode_chunk = msgspec.json.Decoder(Chunk).decode
"""Reads one event; raises msgspec.DecodeError where it isn't JSON, or not of that form."""
