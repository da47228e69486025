"""Additional headers of every request, such as a gateway's; a secret names the variable that holds it."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from workbench.base import Place, Refusal
from workbench.base.masking import is_secret_name

FROM_ENVIRONMENT = "env:"
"""Prefix of a value that names a variable: `env:GATEWAY_TOKEN`."""
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""RFC 9110, section 5.1: a token."""
_CARRIES_SECRETS = frozenset({"authorization", "proxy-authorization", "cookie"})
_OURS = frozenset(
    {
        *("host", "content-type", "content-length", "transfer-encoding", "connection", "x-request-id"),
        *("accept", "accept-encoding"),
    }
)


def check_headers(headers: Mapping[str, str], place: Place) -> None:
    """Check that the headers can be sent and hold no secret.

    Raises:
        Refusal: a header that can't be sent or holds a secret; its value is not repeated.
    """
    if len({name.lower() for name in headers}) < len(headers):
        raise Refusal("servers.header_twice", place)
    for name, value in headers.items():
        if not _NAME.fullmatch(name):
            raise Refusal("servers.header_name", place, name=name)
        if name.lower() in _OURS:
            raise Refusal("servers.header_is_ours", place, name=name)
        if not value.isprintable() or not value.isascii():
            raise Refusal("servers.header_value", place, name=name)
        secret = name.lower() in _CARRIES_SECRETS or is_secret_name(name)
        if secret and not value.startswith(FROM_ENVIRONMENT):
            raise Refusal("servers.header_secret", place, name=name)


def resolve_headers(
    headers: Mapping[str, str], environment: Mapping[str, str], place: Place
) -> dict[str, str]:
    """Return the headers as they are sent, with `env:VARIABLE` replaced by the variable's value.

    Raises:
        Refusal: the environment has no such variable.
    """
    return {name: _value(name, value, environment, place) for name, value in headers.items()}


def _value(name: str, value: str, environment: Mapping[str, str], place: Place) -> str:
    if not value.startswith(FROM_ENVIRONMENT):
        return value
    variable = value.removeprefix(FROM_ENVIRONMENT)
    held = environment.get(variable)
    if not held:
        raise Refusal("servers.header_variable", place, name=name, variable=variable)
    return held


# A server's address: completed, and without secrets, because it is stored, shown and exported.

_BARE = re.compile(
    r"(?P<host>localhost|[A-Za-z\d](?:[\w-]*\.)+[\w-]+|[A-Za-z\d][\w-]*(?=:\d)|\[[\da-fA-F:.]+\])"
    r"(?::(?P<port>\d{1,5}))?(?:/[^\s?#@]*)?"
)
"""HOST:PORT or a host that is no plain word, with a path; a plain word may be anything, even a key."""


def complete_address(url: str) -> str:
    """Return an address with its scheme: `localhost:8000` becomes `http://localhost:8000`.

    A name without a port, and port 443, get https. Anything else stays as it is.
    """
    text = url.strip()
    found = _BARE.fullmatch(text)
    if found is None:
        return text
    host, port = found["host"], found["port"]
    plain = host == "localhost" or host.startswith("[") or host.replace(".", "").isdigit()
    secure = port == "443" or (port is None and not plain)
    return f"{'https' if secure else 'http'}://{text}"


def refuse_secrets_in_url(url: str, place: Place) -> None:
    """Check that the URL has no user information and no query string, which often are secrets.

    Raises:
        Refusal: it has one; the URL is not repeated.
    """
    try:
        parts = urlsplit(url)
        user, query = "@" in parts.netloc, bool(parts.query)
        # Without a scheme there is no netloc; a text that is no address can still be a secret.
        doubtful = not parts.netloc and ("@" in url or "?" in url)
    except ValueError:
        user = query = False
        doubtful = "@" in url or "?" in url
    if user or query or doubtful:
        raise Refusal("servers.secret_in_url", place)
