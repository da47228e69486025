"""The HTTP endpoints of a server about itself: health, models, version, configuration, metrics."""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import httpx
import msgspec

from workbench.base import UNREADABLE, Message, Record, Refusal, WorkbenchError, message
from workbench.servers.server import ServerFailedError
from workbench.telemetry import MetricsPage, open_client, read_page
from workbench.vllm_dialect import error_message

PROBE_TIMEOUT_S = 15.0
"""Timeout of a request; a server that takes longer to list its models can't be measured either."""
LEAST_PROBE_S = 2.0
"""Shortest timeout, whatever the request timeout: a loaded server answers slowly."""
_KEY_WANTED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_HEALTH_TIMEOUT_S = 3.0
_CONFIGURATION_TIMEOUT_S = 60.0
"""Timeout of `/server_info`, which first runs nvidia-smi and pip; 6 s seen on a small machine."""


class KeyRefusedError(Refusal):
    """The server needs a key, or another one."""


class ModelCard(Record, frozen=True, kw_only=True):
    """One entry of `/v1/models`."""

    id: str
    root: str | None = None
    """The folder or Hugging Face name behind the served name."""
    max_model_len: int | None = None


class ServerApi:
    """A client of one server's own endpoints. Missing endpoints give None."""

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        ca_file: str | None = None,
        patience_s: float | None = None,
    ) -> None:
        """Open a client; `patience_s` is the caller's request timeout, which may shorten ours."""
        self.url = url
        self.configuration_failed: Message | None = None
        """Reason that `/server_info` failed; None if it answered or doesn't exist."""
        self._patience_s = min(PROBE_TIMEOUT_S, max(LEAST_PROBE_S, patience_s or PROBE_TIMEOUT_S))
        self._client = open_client(
            url, api_key=api_key, headers=headers, ca_file=ca_file, timeout_s=PROBE_TIMEOUT_S
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def healthy(self) -> bool:
        """Return whether `/health` answers 200 right now."""
        try:
            async with asyncio.timeout(_HEALTH_TIMEOUT_S):
                return (await read_page(self._client, "/health")).status_code == HTTPStatus.OK
        except (httpx.HTTPError, TimeoutError, WorkbenchError):
            return False

    async def require_life(self) -> None:
        """Check that the server answers at all; gateways without `/health` pass.

        Raises:
            Refusal: the server doesn't listen, or didn't answer in time.
            ServerFailedError: vLLM's HTTP server runs, but its engine is dead.
        """
        response = await self._ask("/health")
        if response.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
            raise ServerFailedError("servers.engine_dead", url=self.url)

    async def models(self) -> list[ModelCard]:
        """Return the served models, at least one.

        Raises:
            KeyRefusedError: the key is missing or wrong.
            Refusal: the server doesn't listen, or is another kind of service.
        """
        response = await self._ask("/v1/models")
        if response.status_code in _KEY_WANTED:
            said = error_message(_json(response)) or response.reason_phrase
            raise KeyRefusedError("servers.key_refused", url=self.url, status=response.status_code, said=said)
        if response.status_code != HTTPStatus.OK:
            raise Refusal("servers.not_openai", url=self.url, status=response.status_code)
        cards = _model_cards(_json(response))
        if not cards:
            raise Refusal("servers.no_models", url=self.url)
        return cards

    async def refuses_requests(self) -> bool:
        """Return whether a gateway that lists its models without a key needs one for requests."""
        try:
            async with asyncio.timeout(self._patience_s):
                # A request without a prompt is answered with an error, and generates nothing.
                response = await self._client.post("/v1/completions", json={})
        except (httpx.HTTPError, TimeoutError):
            return False
        return response.status_code in _KEY_WANTED

    async def version(self) -> str | None:
        """Return the version of vLLM that it reports."""
        answer = await self._json_or_none("/version")
        version = answer.get("version") if isinstance(answer, Mapping) else None
        return version if isinstance(version, str) else None

    async def configuration(self) -> Mapping[str, Any]:
        """Return `/server_info` as JSON; empty without it (it exists in developer mode only)."""
        self._client.timeout = httpx.Timeout(_CONFIGURATION_TIMEOUT_S)
        response = await self._response("/server_info?config_format=json", _CONFIGURATION_TIMEOUT_S)
        self._client.timeout = httpx.Timeout(PROBE_TIMEOUT_S)
        if response is None:
            self.configuration_failed = message(
                "servers.server_info_silent", seconds=_CONFIGURATION_TIMEOUT_S
            )
            return {}
        answer = _json(response)
        if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            said = error_message(answer) or response.reason_phrase
            status = response.status_code
            self.configuration_failed = message("servers.server_info_failed", status=status, said=said)
            return {}
        return answer if response.status_code == HTTPStatus.OK and isinstance(answer, Mapping) else {}

    async def reset_prefix_cache(self) -> bool:
        """Empty the prefix cache; return False if that fails (no developer mode, or requests are running)."""
        try:
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                response = await self._client.post("/reset_prefix_cache")
        except (httpx.HTTPError, TimeoutError):
            return False
        answer = _json(response)
        refused = isinstance(answer, Mapping) and answer.get("success") is False
        return response.status_code == HTTPStatus.OK and not refused

    async def metrics(self) -> MetricsPage:
        """Return the metrics page.

        Raises:
            Refusal: there is none, or it isn't vLLM's.
        """
        response = await self._ask("/metrics")
        if response.status_code != HTTPStatus.OK:
            raise Refusal("servers.no_metrics_page", url=self.url, status=response.status_code)
        return MetricsPage.parse(response.text, where=f"{self.url}/metrics")

    async def _ask(self, path: str) -> httpx.Response:
        try:
            # Bounds the whole answer: httpx's timeouts hold for each read, and bytes may drip for ever.
            async with asyncio.timeout(self._patience_s):
                return await read_page(self._client, path)
        except (httpx.TimeoutException, TimeoutError) as error:
            url = f"{self.url}{path}"
            raise Refusal("servers.no_answer", url=url, seconds=self._patience_s) from error
        except (httpx.ConnectError, httpx.UnsupportedProtocol) as error:
            raise Refusal("servers.nobody_answers", url=self.url, cause=str(error)) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Refusal("servers.not_http", url=self.url, cause=str(error)) from error

    async def _json_or_none(self, path: str) -> Any:
        response = await self._response(path, self._patience_s)
        return _json(response) if response is not None and response.status_code == HTTPStatus.OK else None

    async def _response(self, path: str, patience_s: float) -> httpx.Response | None:
        """Return the whole answer; None if none came in time."""
        try:
            async with asyncio.timeout(patience_s):
                return await read_page(self._client, path)
        except (httpx.HTTPError, TimeoutError, WorkbenchError):
            return None


def _json(response: httpx.Response) -> Any:
    try:
        return msgspec.json.decode(response.content)
    except UNREADABLE:
        return None


def _model_cards(answer: Any) -> list[ModelCard]:
    entries = answer.get("data") if isinstance(answer, Mapping) else None
    if not isinstance(entries, list):
        return []
    return [
        ModelCard(
            id=entry["id"], root=_text(entry.get("root")), max_model_len=_count(entry.get("max_model_len"))
        )
        for entry in entries
        if isinstance(entry, Mapping) and isinstance(entry.get("id"), str)
    ]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
