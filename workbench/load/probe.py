"""Does the server take `continuous_usage_stats`? Asked before the run: no measured request is sent twice."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.base import InputError
from workbench.load.target import Target

if TYPE_CHECKING:
    import httpx

_TIMEOUT_S = 30.0


async def takes_continuous_usage(target: Target) -> bool:
    """Whether to ask `target` for its token count in every event.

    A server that names its version at `/version`, as vLLM does, takes the option, and no request is spent
    on the question: its counters stay those of the run. Any other is sent one request for one token.

    Raises:
        InputError: nobody listens there, or the server refuses the key, the path or the model.
    """
    import httpx  # noqa: PLC0415 - workers import this room too, and never need it

    root = target.address().root
    verify = target.tls() or True
    try:
        async with httpx.AsyncClient(
            verify=verify, timeout=_TIMEOUT_S, headers=target.all_headers(), trust_env=False
        ) as client:
            if await _names_version(client, root):
                return True
            answer = await client.post(f"{root}{_path(target)}", json=_request(target, continuous=True))
            if answer.status_code != HTTPStatus.BAD_REQUEST:
                _refuse(target, answer)
                return True
            answer = await client.post(f"{root}{_path(target)}", json=_request(target, continuous=False))
            _refuse(target, answer)
            return answer.status_code == HTTPStatus.BAD_REQUEST
    except httpx.HTTPError as error:
        raise InputError(f"{target.url}: no answer: {str(error) or type(error).__name__}") from error


async def _names_version(client: "httpx.AsyncClient", root: str) -> bool:
    answer = await client.get(f"{root}/version")
    if answer.status_code != HTTPStatus.OK:
        return False
    try:
        return "version" in msgspec.json.decode(answer.content, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError):
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


def _refuse(target: Target, answer: "httpx.Response") -> None:
    """What no request of the run could get past either."""
    text = " ".join(answer.text.split())[:200]
    if answer.status_code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        raise InputError(f"{target.url}: the server refuses the API key (HTTP {answer.status_code})")
    if answer.status_code == HTTPStatus.NOT_FOUND:
        raise InputError(f"{target.url}: no such path or model (HTTP 404): {text}")
