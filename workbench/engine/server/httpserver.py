"""uvicorn as vLLM uses it, without its signal handlers: the front decides when to stop."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import uvicorn

from workbench.engine.server.app import App

_BACKLOG = 2048
_GRACEFUL_S = 5


class HttpServer(uvicorn.Server):
    """Serves until `should_exit`; `up` is set once it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen and set `up`."""
        await super().startup(sockets)
        self.up.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield


def http_server(app: App, *, access_log: bool) -> HttpServer:
    """Return the server of an application, with uvicorn's own log lines."""
    config = uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan="on",
        access_log=access_log,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=_GRACEFUL_S,
        use_colors=False,
    )
    return HttpServer(config)


def bind(host: str, port: int) -> socket.socket:
    """Bind an address without listening, to keep it while the engine starts.

    Raises:
        OSError: the port is in use, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except BaseException:
        listener.close()
        raise
    return listener


def url_of(listener: socket.socket, host: str) -> str:
    """Return the URL of a listener."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}"
