"""Whose certificates are believed. They are always verified; a private authority is named by its file."""

import ssl

from workbench.base.errors import InputError


def trusting(ca_file: str | None = None) -> ssl.SSLContext:
    """A context for clients that trusts the system's authorities, and those in `ca_file` besides.

    Raises:
        InputError: the certificates can't be read.
    """
    try:
        context = ssl.create_default_context(cafile=ca_file)
        if ca_file:
            context.load_default_certs()
    except ssl.SSLError as error:
        raise InputError(f"certificates {ca_file}: no certificate in PEM form in it") from error
    except OSError as error:
        raise InputError(f"certificates {ca_file}: {error.strerror}") from error
    return context
