"""Read small pages over HTTP without blocking the event loop or the server."""

from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx

from workbench.base import Place, WorkFailure, ssl_context_for

MAX_PAGE_BYTES = 32 * 2**20
"""Larger than any metrics page or answer of a server's endpoints; only an endless stream is larger."""


class PageTooLargeError(WorkFailure):
    """The answer is longer than any page."""


def open_client(
    url: str,
    *,
    api_key: str | None = None,
    headers: Mapping[str, str] | None = None,
    ca_file: str | None = None,
    timeout_s: float = 5.0,
) -> httpx.AsyncClient:
    """Open a client for one server: one kept connection, key and `headers` in each request, no compression.

    Compressing its metrics page would cost the server's event loop more than the bytes are worth.

    Raises:
        Refusal: the certificates in `ca_file` can't be read.
    """
    sent = httpx.Headers({"Accept-Encoding": "identity"})
    if api_key:
        sent["Authorization"] = f"Bearer {api_key}"
    sent.update(headers or {})
    return httpx.AsyncClient(
        base_url=url.rstrip("/"),
        headers=sent,
        # The system's authorities, as on the timed path, and not the library's own list.
        verify=ssl_context_for(ca_file) if urlsplit(url).scheme == "https" else True,
        timeout=timeout_s,
        follow_redirects=False,
        # The load goes straight to the server, and so do these (see `ignored_proxy`).
        trust_env=False,
        limits=httpx.Limits(max_connections=2, max_keepalive_connections=1),
    )


async def read_page(client: httpx.AsyncClient, path: str) -> httpx.Response:
    """GET `path` and read the whole answer of any status.

    Raises:
        httpx.HTTPError: no listener, timeout, or the connection or the answer broke off.
        PageTooLargeError: the answer is larger than any page.
    """
    async with client.stream("GET", path) as response:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_PAGE_BYTES:
                place = Place(file=f"{client.base_url}{path}")
                raise PageTooLargeError("telemetry.page_too_large", place, most=MAX_PAGE_BYTES)
    return httpx.Response(
        response.status_code,
        headers={"content-type": response.headers.get("content-type", "")},
        content=bytes(body),
        request=response.request,
    )
