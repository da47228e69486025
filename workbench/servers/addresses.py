"""A server's address is stored, shown and exported: it holds no secret."""

from urllib.parse import urlsplit

from workbench.base import InputError


def refuse_secrets_in_url(url: str, where: str) -> None:
    """Whether the URL carries user information or a query string, as secrets often are.

    Raises:
        InputError: it does; the URL is not repeated.
    """
    try:
        parts = urlsplit(url)
        user, query = "@" in parts.netloc, bool(parts.query)
        # Without a scheme nothing is a netloc; what can't be an address can still be a secret.
        doubtful = not parts.netloc and ("@" in url or "?" in url)
    except ValueError:
        user = query = False
        doubtful = "@" in url or "?" in url
    if user or query or doubtful:
        raise InputError(
            f"{where}: must hold no user, password or query string, for it is stored and shown: name the"
            " variable that holds the key (api_key_env), or give a header the value env:VARIABLE (headers)"
        )
