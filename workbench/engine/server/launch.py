"""Start of the engine's process, and the handshake with it."""

import contextlib
import secrets
import socket
import subprocess
import time

import msgspec

from workbench.base import WorkFailure, now, own_module
from workbench.engine.server.frames import EngineFailed, EngineReady, Hello, Splitter, decode_to_front
from workbench.engine.server.job import EngineJob
from workbench.engine.server.settings import Settings

_READY_TIMEOUT_S = 60.0
_POLL_S = 0.2
_READ_BYTES = 4096


class EngineStartError(WorkFailure):
    """The engine's process ended, or did not report, before it was ready."""


def engine_job(settings: Settings, port: int) -> EngineJob:
    """Return the job of a new engine, whose zero is now."""
    return EngineJob(
        port=port,
        secret=secrets.token_hex(16),
        zero=now(),
        time_scale=settings.time_scale,
        step_model=settings.step_model,
        model=settings.model,
        vocab_size=settings.vocab_size,
        scheduler=settings.scheduler,
        histogram_edges=settings.edges,
        log_steps=settings.log_steps,
    )


class EngineChild:
    """The engine's process and its socket, from the start until it is reaped."""

    def __init__(self, settings: Settings) -> None:
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as listener:
            self.job = engine_job(settings, listener.getsockname()[1])
            self.process = subprocess.Popen(own_module("workbench.engine.server.core"), stdin=subprocess.PIPE)
            assert self.process.stdin is not None
            try:
                with self.process.stdin as stdin:
                    stdin.write(msgspec.json.encode(self.job) + b"\n")
                self.link = self._shake_hands(listener)
            except BaseException:
                self.reap(0.0)
                raise

    def _shake_hands(self, listener: socket.socket) -> socket.socket:
        """Wait for the child that knows the secret, and until it is ready."""
        deadline = time.monotonic() + _READY_TIMEOUT_S
        listener.settimeout(_POLL_S)
        while time.monotonic() < deadline and self.process.poll() is None:
            # OSError: no connection yet, or it closed; DecodeError: another program connected.
            with contextlib.suppress(OSError, msgspec.DecodeError):
                link, _ = listener.accept()
                if self._is_ready(link, deadline):
                    return link
        raise EngineStartError("engine.start_timeout", seconds=_READY_TIMEOUT_S)

    def _is_ready(self, link: socket.socket, deadline: float) -> bool:
        splitter, proven = Splitter(), False
        with contextlib.ExitStack() as stack:
            stack.callback(link.close)
            link.settimeout(max(_POLL_S, deadline - time.monotonic()))
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while data := link.recv(_READ_BYTES):
                for message in map(decode_to_front, splitter.feed(data)):
                    proven = proven or (isinstance(message, Hello) and self._knows(message))
                    if not proven:
                        return False
                    if isinstance(message, EngineFailed):
                        raise EngineStartError("engine.impossible_flags", said=message.text)
                    if isinstance(message, EngineReady):
                        link.settimeout(0)
                        stack.pop_all()
                        return True
        return False

    def _knows(self, hello: Hello) -> bool:
        return secrets.compare_digest(hello.secret, self.job.secret)

    def reap(self, patience_s: float) -> int:
        """Wait for its end, kill it after `patience_s`; returns its exit code."""
        try:
            return self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
