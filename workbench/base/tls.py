"""TLS contexts. Certificates are always verified; a private authority is named by its file."""

import ssl

from workbench.base.refusals import Place, Refusal


def ssl_context_for(ca_file: str | None = None) -> ssl.SSLContext:
    """Return a client's context that trusts the system's authorities and those in `ca_file`.

    Raises:
        Refusal: the certificates can't be read.
    """
    try:
        context = ssl.create_default_context(cafile=ca_file)
        if ca_file:
            context.load_default_certs()
    except ssl.SSLError as error:
        raise Refusal("base.no_certificate", Place(file=ca_file)) from error
    except OSError as error:
        cause = error.strerror or str(error)
        raise Refusal("base.unreadable_certificates", Place(file=ca_file), cause=cause) from error
    return context
