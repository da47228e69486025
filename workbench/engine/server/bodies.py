"""Request bodies: the fields that are read, and vLLM's refusals."""

from typing import Any

import msgspec

from workbench.base import UNREADABLE
from workbench.engine.server.refusals import invalid, is_priority, refused
from workbench.engine.server.tokens import encode_chat, encode_text


class StreamOptions(msgspec.Struct, frozen=True):
    """`stream_options`."""

    include_usage: bool | None = True
    continuous_usage_stats: bool | None = False


class _Body(msgspec.Struct, frozen=True, kw_only=True):
    """Fields of both endpoints; those without effect on timing (temperature, seed, …) are ignored.

    So is `stop`: outputs never contain its texts.
    """

    model: str | None = None
    max_tokens: int | None = None
    n: int | None = 1
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    ignore_eos: bool = False
    min_tokens: int = 0
    priority: int = 0
    request_id: str | None = None
    cache_salt: str | None = None
    return_token_ids: bool | None = None
    stream_interval: int | None = None
    echo: bool | None = False
    use_beam_search: bool = False
    logprobs: bool | int | None = None


class CompletionBody(_Body, frozen=True, kw_only=True):
    """`/v1/completions`."""

    prompt: msgspec.Raw = msgspec.Raw(b"null")


class _Part(msgspec.Struct, frozen=True):
    type: str = "text"
    text: str = ""


class _Message(msgspec.Struct, frozen=True):
    role: str
    content: str | list[_Part] | None = None

    def text(self) -> str:
        if isinstance(self.content, str):
            return self.content
        for part in self.content or ():
            if part.type not in {"text", "input_text"}:
                raise refused(f"At most 0 {part.type}(s) may be provided in one prompt.")
        return "".join(part.text for part in self.content or ())


class ChatBody(_Body, frozen=True, kw_only=True):
    """`/v1/chat/completions`."""

    messages: list[_Message]
    max_completion_tokens: int | None = None


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A checked request."""

    chat: bool
    model: str | None
    prompts: list[list[int]]
    max_tokens: int | None
    """Output tokens at most; None for the rest of the context."""
    min_tokens: int
    stream: bool
    include_usage: bool
    continuous_usage: bool
    return_token_ids: bool
    stream_interval: int
    priority: int
    request_id: str | None
    cache_salt: str | None


_completion = msgspec.json.Decoder(CompletionBody)
_chat = msgspec.json.Decoder(ChatBody)
_texts = msgspec.json.Decoder(list[str])
_ids = msgspec.json.Decoder(list[int])
_id_lists = msgspec.json.Decoder(list[list[int]])
COMPLETION_DEFAULT_TOKENS = 16


def read_completion(data: bytes, vocab_size: int) -> Asked:
    """Decode and check a body of `/v1/completions`.

    Raises:
        Refused: with the answer.
    """
    body = _decode(_completion, data)
    prompts = _prompts(bytes(body.prompt), vocab_size)
    tokens = COMPLETION_DEFAULT_TOKENS if body.max_tokens is None else body.max_tokens
    return _asked(body, prompts, tokens, chat=False)


def read_chat(data: bytes, vocab_size: int) -> Asked:
    """Decode and check a body of `/v1/chat/completions`.

    Raises:
        Refused: with the answer.
    """
    body = _decode(_chat, data)
    prompt = encode_chat([(message.role, message.text()) for message in body.messages], vocab_size)
    limit = body.max_tokens if body.max_completion_tokens is None else body.max_completion_tokens
    return _asked(body, [prompt], limit, chat=True)


def _decode(decoder: msgspec.json.Decoder[Any], data: bytes) -> Any:
    try:
        return decoder.decode(data)
    except UNREADABLE as error:
        raise invalid(str(error), _field(str(error))) from error


def _field(message: str) -> str | None:
    """Return `body.max_tokens` from msgspec's "… at `$.max_tokens`"."""
    _, found, path = message.rpartition("`$.")
    return "body." + path.rstrip("`").replace("[...]", "") if found else None


def _prompts(raw: bytes, vocab_size: int) -> list[list[int]]:
    text = raw.lstrip()
    if text.startswith(b'"'):
        prompts = [encode_text(msgspec.json.decode(text, type=str), vocab_size)]
    else:
        prompts = _listed(text, vocab_size)
    if not prompts or not all(prompts):
        raise invalid("Either prompt or prompt_embeds must be provided and non-empty.", "prompt")
    for prompt in prompts:
        _check_ids(prompt, vocab_size)
    return prompts


def _listed(text: bytes, vocab_size: int) -> list[list[int]]:
    if text.startswith(b"null"):
        return []
    first = text[1:].lstrip()[:1] if text.startswith(b"[") else b""
    if first == b'"':
        return [encode_text(prompt, vocab_size) for prompt in _decode(_texts, text)]
    if first == b"[":
        return list(_decode(_id_lists, text))
    ids: list[int] = _decode(_ids, text)
    return [ids] if ids else []


def _check_ids(prompt: list[int], vocab_size: int) -> None:
    if min(prompt) < 0:
        raise invalid("Input should be greater than or equal to 0", "body.prompt")
    if max(prompt) >= vocab_size:
        raise refused(f"Token id {max(prompt)} is out of vocabulary")


def _asked(body: _Body, prompts: list[list[int]], max_tokens: int | None, *, chat: bool) -> Asked:
    _check_fields(body)
    options = body.stream_options if body.stream else None
    usage = bool(options and options.include_usage)
    return Asked(
        chat=chat,
        model=body.model,
        prompts=prompts,
        max_tokens=max_tokens,
        min_tokens=body.min_tokens,
        stream=bool(body.stream),
        include_usage=usage,
        continuous_usage=usage and bool(options and options.continuous_usage_stats),
        return_token_ids=bool(body.return_token_ids),
        stream_interval=body.stream_interval or 1,
        priority=body.priority,
        request_id=body.request_id,
        cache_salt=body.cache_salt,
    )


def _check_fields(body: _Body) -> None:
    """Refuse as vLLM's validators do, then refuse options that are not simulated."""
    if body.stream_options and not body.stream:
        raise invalid("Stream options can only be defined when `stream=True`.", "stream_options")
    if body.cache_salt == "":
        raise invalid("Parameter 'cache_salt' must be a non-empty string if provided.", "cache_salt")
    if body.stream_interval is not None and body.stream_interval < 1:
        raise invalid("Input should be greater than or equal to 1", "body.stream_interval")
    if not is_priority(body.priority):
        raise invalid("Input should be a 64-bit integer", "body.priority")
    for name, wanted in (
        ("n", body.n not in {None, 1}),
        ("echo", bool(body.echo)),
        ("use_beam_search", body.use_beam_search),
        ("logprobs", body.logprobs is not None and body.logprobs is not False),
    ):
        if wanted:
            raise refused(f"`{name}`={getattr(body, name)!r} is not simulated by the embedded engine", name)


class _TokenizeBody(msgspec.Struct, frozen=True):
    prompt: str | None = None
    messages: list[_Message] | None = None


_tokenize = msgspec.json.Decoder(_TokenizeBody)


def decode_tokenize(data: bytes, vocab_size: int) -> list[int]:
    """Return the ids of a body of `/tokenize`: a prompt, or a chat's messages under the chat template.

    Raises:
        Refused: the body has neither.
    """
    body = _decode(_tokenize, data)
    if body.messages is not None:
        return encode_chat([(message.role, message.text()) for message in body.messages], vocab_size)
    if body.prompt is None:
        raise invalid("Field required", "body.prompt")
    return encode_text(body.prompt, vocab_size)
