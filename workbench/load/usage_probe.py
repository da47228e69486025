"""Probe of `continuous_usage_stats`, before the run, so that no measured request is sent twice."""

import asyncio
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.base import UNREADABLE, Refusal, mask_text
from workbench.load.target import Target

if TYPE_CHECKING:
    import httpx

_TIMEOUT_S = 30.0
_UNKNOWN_FIELD = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)
"""Statuses with which servers refuse an unknown option."""
_MOST_BYTES = 65536
"""Bytes of a refusal's text; a broken server may never end its answer."""


async def takes_continuous_usage(target: Target) -> bool:
    """Return whether to request the token count in every event from `target`.

    A server that names its version at `/version`, as vLLM does, takes the option, and no request is spent
    on the question: its counters stay those of the run. Any other is sent one request for one token.

    Raises:
        Refusal: nothing listens there, or the server refuses the key, the path or the model.
    """
    import httpx  # noqa: PLC0415 - workers import this room too, and never need it

    root = target.address().root
    verify = target.tls() or True
    try:
        async with (
            asyncio.timeout(_TIMEOUT_S),
            httpx.AsyncClient(
                verify=verify, timeout=_TIMEOUT_S, headers=target.all_headers(), trust_env=False
            ) as client,
        ):
            if await _names_version(client, root):
                return True
            status, text = await _answer(client, target, root, continuous=True)
            if status not in _UNKNOWN_FIELD:
                _refuse(target, status, text)
                return True
            status, text = await _answer(client, target, root, continuous=False)
            _refuse(target, status, text)
            return status in _UNKNOWN_FIELD
    except TimeoutError as error:
        raise Refusal("load.no_answer_in_time", url=target.url, seconds=_TIMEOUT_S) from error
    except httpx.ReadError as error:
        raise Refusal("load.closed_while_answering", url=target.url) from error
    except httpx.HTTPError as error:
        cause = str(error) or type(error).__name__
        raise Refusal("load.no_answer", url=target.url, cause=cause) from error


async def _answer(
    client: "httpx.AsyncClient", target: Target, root: str, *, continuous: bool
) -> tuple[int, str]:
    """Return the status and the beginning of the text; an accepted request is dropped at its first bytes."""
    body = b""
    request = _request(target, continuous=continuous)
    async with client.stream("POST", f"{root}{_path(target)}", json=request) as answer:
        async for chunk in answer.aiter_raw():
            body += chunk
            if answer.status_code == HTTPStatus.OK or len(body) > _MOST_BYTES:
                break
        return answer.status_code, body.decode(errors="replace")


async def _names_version(client: "httpx.AsyncClient", root: str) -> bool:
    answer = await client.get(f"{root}/version")
    if answer.status_code != HTTPStatus.OK:
        return False
    try:
        return "version" in msgspec.json.decode(answer.content, type=dict[str, Any])
    except UNREADABLE:
        return False


def _path(target: Target) -> str:
    return target.path().removeprefix(target.address().base)


def _request(target: Target, *, continuous: bool) -> dict[str, Any]:
    options = {"include_usage": True}
    if continuous:
        options["continuous_usage_stats"] = True
    prompt: dict[str, Any] = {"prompt": "Hello"}
    if target.endpoint == "chat":
        prompt = {"messages": [{"role": "user", "content": "Hello"}]}
    return {"model": target.model, **prompt, "max_tokens": 1, "stream": True, "stream_options": options}


def _refuse(target: Target, status: int, body: str) -> None:
    """Raise if every request of the run would be refused too."""
    text = mask_text(" ".join(body.split()), target.secrets())[:200]
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        raise Refusal("load.key_refused", url=target.url, status=status)
    if status == HTTPStatus.NOT_FOUND:
        raise Refusal("load.no_such_path", url=target.url, text=text)
