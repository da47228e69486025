"""Target of requests: address, model, endpoint, key and headers."""

import ssl
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

import msgspec

from workbench.base import Place, Refusal, ssl_context_for

ENDPOINTS = ("completions", "chat")
_PATHS = {"completions": "/v1/completions", "chat": "/v1/chat/completions"}

_SHORTEST_SECRET = 6
_URL = Place(table="target", key="url")

NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class TargetAddress(msgspec.Struct, frozen=True):
    """Parts of a URL for a socket."""

    host: str
    """Without the brackets of IPv6."""
    port: int
    secure: bool
    base: str
    """Path before `/v1`, without a slash at its end."""

    @property
    def host_header(self) -> str:
        """Value of the Host header: brackets around IPv6, the port unless it is the scheme's default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.secure else 80) else f"{host}:{self.port}"

    @property
    def root(self) -> str:
        """The URL before `/v1`."""
        return f"{'https' if self.secure else 'http'}://{self.host_header}{self.base}"


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A server to measure. `url` with or without `/v1` at its end.

    Raises:
        Refusal: the URL, the endpoint or a header can't be used.
    """

    url: str
    model: str
    endpoint: str = "completions"
    """`completions` or `chat`."""
    api_key: str | None = None
    headers: dict[str, str] = {}
    """More headers, such as a gateway's."""
    ca_file: str | None = None
    """Certificates to trust besides the system's."""

    def __post_init__(self) -> None:
        if self.endpoint not in ENDPOINTS:
            place = Place(table="target", key="endpoint")
            raise Refusal("base.not_one_of", place, value=self.endpoint, choices=ENDPOINTS)
        for name, value in (("model", self.model), ("API key", self.api_key or ""), *self.headers.items()):
            if not name.isascii() or not name.isprintable() or not value.isprintable():
                raise Refusal("load.not_for_http", Place(table="target"), name=name)
        self.address()

    def address(self) -> TargetAddress:
        """Split the URL."""
        try:
            parts = urlsplit(self.url)
            port = parts.port
        except ValueError as error:
            raise Refusal("load.unusable_url", _URL, url=self.url, cause=str(error)) from error
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise Refusal("load.not_a_url", _URL, url=self.url)
        secure = parts.scheme == "https"
        base = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
        return TargetAddress(parts.hostname, port or (443 if secure else 80), secure, base)

    def path(self) -> str:
        """Return the endpoint's path on the server."""
        return self.address().base + _PATHS[self.endpoint]

    def all_headers(self, ours: Mapping[str, str] = NO_HEADERS) -> dict[str, str]:
        """Return our headers, the key and the extra ones; an extra header replaces one of the same name."""
        key = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        given = {name.lower() for name in self.headers}
        kept = {name: value for name, value in {**ours, **key}.items() if name.lower() not in given}
        return {**kept, **self.headers}

    def secrets(self) -> tuple[str, ...]:
        """Return texts to mask everywhere: the key, and header values too long for ordinary words."""
        values = (self.api_key or "", *self.headers.values())
        return tuple(value for value in values if len(value) >= _SHORTEST_SECRET)

    def tls(self) -> ssl.SSLContext | None:
        """Return the TLS context; None for plain HTTP.

        Raises:
            Refusal: the certificates can't be read.
        """
        if not self.address().secure:
            return None
        return ssl_context_for(self.ca_file)
