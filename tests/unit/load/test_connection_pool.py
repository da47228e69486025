import asyncio
import errno
import os
from collections.abc import Callable
from typing import Self

import pytest

from workbench.base import now
from workbench.load.attempt import Attempt
from workbench.load.connection import Connection
from workbench.load.connection_pool import ConnectionPool, Unconnected
from workbench.load.messages import LoadRequest
from workbench.load.parse_reads import ReadParser
from workbench.load.target import TargetAddress

ASK = LoadRequest(index=0, row=0, cycle=0, due_s=0.0, input_tokens=8, output_tokens=3, cls="")


class _Peer:
    """A listening port that keeps what connects."""

    def __init__(self) -> None:
        self.writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._keep, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def _keep(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in self.writers:
            writer.close()
        await asyncio.sleep(0.01)


async def _pool(
    port: int, failed: Callable[[Attempt, Unconnected], None] = lambda _, __: None
) -> ConnectionPool:
    parser = ReadParser(asyncio.get_running_loop(), lambda _: None)
    pool = ConnectionPool(TargetAddress("127.0.0.1", port, secure=False, base=""), None, 5.0, parser, failed)
    await pool.resolve()
    return pool


def _flight() -> Attempt:
    attempt = Attempt(ASK, 0.0)
    attempt.request_bytes = b"x"
    return attempt


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - what it waits for has no event
            await asyncio.sleep(0.005)


async def test_that_connections_are_kept_ready_and_taken_by_what_is_sent() -> None:
    async with _Peer() as peer:
        pool = await _pool(peer.port)
        pool.keep_ready(3)
        await _until(lambda: pool.idle == 3)
        attempt = _flight()
        pool.send(attempt)
        assert attempt.sent is not None
        assert attempt.connect_ms is not None
        assert pool.idle == 2
        pool.close()


async def test_that_a_request_that_comes_while_connections_finish_gets_one_of_its_own() -> None:
    async with _Peer() as peer:
        pool = await _pool(peer.port)
        first, second, third = _flight(), _flight(), _flight()
        send = Connection.send

        def send_and_add(connection: Connection, attempt: Attempt) -> None:
            send(connection, attempt)
            if attempt is first:
                pool.send(third)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Connection, "send", send_and_add)
            pool.send(first)
            pool.send(second)
            await _until(lambda: first.sent is not None)
            await _until(lambda: second.sent is not None and third.sent is not None)
        pool.close()


async def test_that_a_connection_that_served_once_serves_what_waits() -> None:
    async with _Peer() as peer:
        pool = await _pool(peer.port)
        first, second = _flight(), _flight()
        pool.send(first)
        await _until(lambda: first.sent is not None)
        assert first.connection is not None
        connection, first.connection = first.connection, None
        connection.release(now())
        pool.send(second)
        assert second.connection is connection
        assert second.connect_ms is None
        pool.close()


async def test_that_a_connection_ages_from_its_last_answer_and_not_from_when_that_was_looked_at() -> None:
    """A busy worker looks late; the server counts its five seconds from what it sent last."""
    async with _Peer() as peer:
        pool = await _pool(peer.port)
        first, second = _flight(), _flight()
        pool.send(first)
        await _until(lambda: first.sent is not None)
        assert isinstance(first.connection, Connection)
        connection, first.connection = first.connection, None
        connection.release(now() - 4.0)
        pool.send(second)
        await _until(lambda: second.sent is not None)
        assert second.connection is not connection
        assert connection.gone
        pool.close()


async def test_that_idle_connections_which_the_server_closes_are_forgotten() -> None:
    async with _Peer() as peer:
        pool = await _pool(peer.port)
        pool.keep_ready(2)
        await _until(lambda: pool.idle == 2 and len(peer.writers) == 2)
        for writer in peer.writers:
            writer.close()
        await _until(lambda: pool.idle == 0)
        pool.close()


async def test_that_a_refused_connection_fails_the_one_that_waits_and_says_why() -> None:
    async with _Peer() as peer:
        port = peer.port
    said: list[Unconnected] = []
    pool = await _pool(port, lambda _, unconnected: said.append(unconnected))
    pool.send(_flight())
    await _until(lambda: bool(said))
    assert "can't connect" in str(said[0].why)
    assert not said[0].ours
    pool.close()


@pytest.mark.parametrize("cause", [errno.EMFILE, errno.ENFILE, errno.EADDRNOTAVAIL])
async def test_that_what_this_machine_lacks_is_not_the_servers_fault(
    monkeypatch: pytest.MonkeyPatch, cause: int
) -> None:
    async def lacking(_: ConnectionPool) -> Connection:
        raise OSError(cause, os.strerror(cause))

    monkeypatch.setattr(ConnectionPool, "_first_that_answers", lacking)
    said: list[Unconnected] = []
    pool = await _pool(1, lambda _, unconnected: said.append(unconnected))
    pool.send(_flight())
    await _until(lambda: bool(said))
    assert said[0].ours
    assert str(said[0].why).startswith(f"can't connect: {os.strerror(cause)}")
    assert ("(ulimit -n)" in str(said[0].why)) == (cause == errno.EMFILE)
    pool.close()
