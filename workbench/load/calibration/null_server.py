"""A server that only keeps time: a load generator that measures it measures its own error.

`python null_server.py [--host H] [--port P] [--ttft-ms T] [--gap-ms G]` streams `max_tokens` tokens to each
request, and `GET /truth` lists when it really sent them. The standard library is all it needs (uvloop makes
it faster), so this one file can be copied to another machine to measure the path to it as well. It ends when
its stdin closes, unless that is a terminal.
"""

from __future__ import annotations  # a server's machine may have an older Python than this program needs

import argparse
import asyncio
import gc
import heapq
import json
import os
import re
import sys
import threading
import time
from typing import Any, cast

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
_LENGTH = re.compile(rb"(?i)content-length: *(\d+)")
_ID = re.compile(rb"(?i)x-request-id: *([^\r]*)")
_TOKENS = re.compile(rb'"max_tokens": *(\d+)')
_PROMPT_TOKENS = 1
now = time.perf_counter


def _chunk(body: str) -> bytes:
    return f"{len(body):x}\r\n{body}\r\n".encode()


class Events:
    """Bytes of a stream's i-th event, made once."""

    def __init__(self, *, chat: bool) -> None:
        self._said = '"delta":{"content":" a"}' if chat else '"text":" a"'
        self._made: dict[tuple[int, bool], bytes] = {}

    def event(self, number: int, *, last: bool) -> bytes:
        """Return event `number` (from 1), with the stream's end if it is the last."""
        made = self._made.get((number, last))
        if made is None:
            usage = f'"usage":{{"prompt_tokens":{_PROMPT_TOKENS},"completion_tokens":{number}}}'
            reason = '"length"' if last else "null"
            made = _chunk(
                f'data: {{"choices":[{{"index":0,{self._said},"finish_reason":{reason}}}],{usage}}}\n\n'
            )
            if last:
                made += (
                    _chunk(f'data: {{"choices":[],{usage}}}\n\n') + _chunk("data: [DONE]\n\n") + b"0\r\n\r\n"
                )
            self._made[number, last] = made
        return made


class Clockwork:
    """Sends each token at its time and keeps the real send times."""

    def __init__(self, loop: asyncio.AbstractEventLoop, ttft_s: float, gap_s: float) -> None:
        self._loop = loop
        self.ttft_s = ttft_s
        self.gap_s = gap_s
        self._heap: list[tuple[float, int, ClientConnection]] = []
        self._number = 0
        self._handle: asyncio.Handle | None = None
        self._wake_at = float("inf")
        self.truth: list[dict[str, Any]] = []

    def at(self, due: float, connection: ClientConnection) -> None:
        """Let a connection take its next step at `due`."""
        self._number += 1
        heapq.heappush(self._heap, (due, self._number, connection))
        self._arm()

    def _arm(self) -> None:
        due = self._heap[0][0]
        if due < self._wake_at:
            if self._handle:
                self._handle.cancel()
            self._wake_at = due
            # Loops round to whole milliseconds: round up, so that it sleeps; the record has the delay.
            self._handle = self._loop.call_later(max(0.001, due - now() + 0.0005), self._step)

    def _step(self) -> None:
        self._wake_at = float("inf")
        time_now = now()
        for _ in range(64):  # then the sockets have a turn
            if not self._heap or self._heap[0][0] > time_now:
                break
            _, _, connection = heapq.heappop(self._heap)
            connection.step()
        if self._heap:
            self._arm()


class ClientConnection(asyncio.Protocol):
    """A client's connection, one request after the other."""

    def __init__(self, clockwork: Clockwork, events: dict[bool, Events]) -> None:
        self._clockwork = clockwork
        self._all_events = events
        self._events = events[False]
        self._received = b""
        self._total = self._sent = 0
        self._due = 0.0
        self._record: dict[str, Any] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Set up a client's socket."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=0)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        stamp = now()
        self._received += data
        head, separator, body = self._received.partition(b"\r\n\r\n")
        if not separator:
            return
        length = _LENGTH.search(head)
        if len(body) < (int(length.group(1)) if length else 0):
            return
        self._received = b""
        if head.startswith(b"POST"):
            self._begin(stamp, head, body)
        else:
            self._answer(head)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop sending: the client left."""
        del exc
        self._total = 0

    def step(self) -> None:
        """Send the next token."""
        if self._sent >= self._total:
            return
        self._sent += 1
        last = self._sent == self._total
        stamp = now()
        self._transport.write(self._events.event(self._sent, last=last))
        record = self._record
        record["late"] = max(record["late"], stamp - self._due)
        if self._sent == 1:
            record["first"] = stamp
        record["last"] = stamp
        if not last:
            self._due += self._clockwork.gap_s
            self._clockwork.at(self._due, self)

    def _begin(self, stamp: float, head: bytes, body: bytes) -> None:
        name, tokens = _ID.search(head), _TOKENS.search(body)
        self._events = self._all_events[b"/chat/" in head[:200]]
        self._total = int(tokens.group(1)) if tokens else 16
        self._sent = 0
        self._record = {"id": name.group(1).decode() if name else "", "request": stamp, "late": 0.0}
        self._clockwork.truth.append(self._record)
        self._transport.write(_HEAD)
        self._due = stamp + self._clockwork.ttft_s
        self._clockwork.at(self._due, self)

    def _answer(self, head: bytes) -> None:
        value: Any = {"version": "0.0.0-null"}
        if b"/models" in head[:200]:
            value = {"object": "list", "data": [{"id": "null", "object": "model", "max_model_len": 131072}]}
        elif b"/truth" in head[:200]:
            value = self._clockwork.truth
        body = json.dumps(value).encode()
        start = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
        self._transport.write(start + str(len(body)).encode() + b"\r\n\r\n" + body)


async def _serve(options: argparse.Namespace) -> None:
    gc.disable()  # a collection over all records would make the server itself late
    loop = asyncio.get_running_loop()
    clockwork = Clockwork(loop, options.ttft_ms / 1e3, options.gap_ms / 1e3)
    events = {chat: Events(chat=chat) for chat in (False, True)}
    server = await loop.create_server(
        lambda: ClientConnection(clockwork, events), options.host, options.port, backlog=1024
    )
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(f"listening on http://{options.host}:{port}\n")
    sys.stdout.flush()
    if not sys.stdin.isatty():
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    await server.serve_forever()


def _end_with_stdin() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(0)


def main() -> None:
    """Serve until stdin closes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--ttft-ms", type=float, default=20.0)
    parser.add_argument("--gap-ms", type=float, default=10.0)
    options = parser.parse_args()
    try:
        import uvloop  # noqa: PLC0415 - a bare machine has none

        runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
    except (ImportError, AttributeError):  # nor has an old Python a Runner
        asyncio.run(_serve(options))
    else:
        with runner:
            runner.run(_serve(options))


if __name__ == "__main__":
    main()
