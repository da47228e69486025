"""Write a step record outside the engine's thread: a bounded queue and a writing thread."""

import contextlib
import logging
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from .encoding import LineEncoder

_CAPACITY = 16_384
"""Lines that may wait for the disk."""
_BATCH = 8
"""Lines written at once; meanwhile the engine's thread can run."""
_PAUSE_S = 0.2
_MOST_BYTES = 8 << 30
_log = logging.getLogger("vllm.workbench")


class RecordWriter:
    """Takes lines without waiting; a thread encodes and writes them. Dropped lines are counted."""

    def __init__(self, target: str) -> None:
        self.paused = False
        self.written = 0
        self.dropped = 0
        self.cpu_s = 0.0
        """CPU seconds of its thread."""
        self._lost = 0
        self._lines: deque[dict[str, Any]] = deque()
        self._room = _MOST_BYTES
        self._ended = threading.Event()
        self._send, self._close = _open(target)
        self._thread = threading.Thread(target=self._run, name="step recorder", daemon=True)
        self._thread.start()

    def put(self, line: dict[str, Any]) -> None:
        """Hand over one line, which must not change afterwards."""
        if self.paused or self._ended.is_set() or len(self._lines) >= _CAPACITY:
            self._lost += 1
            self.dropped += 1
            return
        if self._lost:
            self._lines.append({"ev": "dropped", "lines": self._lost})
            self._lost = 0
        self._lines.append(line)

    def close(self) -> None:
        """Write the waiting lines and end."""
        self._ended.set()
        self._thread.join(5.0)

    def _run(self) -> None:
        encode = LineEncoder()
        try:
            while not self._ended.wait(_PAUSE_S):
                self._empty(encode)
            self._empty(encode)
        except Exception as error:  # noqa: BLE001  # the disk, or a value of another version
            self._ended.set()
            self.dropped += len(self._lines)
            self._lines.clear()
            _log.warning("The step recorder has stopped: %s", error)
        finally:
            self._close()

    def _empty(self, encode: LineEncoder) -> None:
        while self._lines:
            count = min(_BATCH, len(self._lines))
            data = b"".join(encode(self._lines.popleft()) for _ in range(count))
            self._room -= len(data)
            if self._room < 0:
                raise OSError(f"the record has reached {_MOST_BYTES >> 30} GiB")
            self._send(data)
            self.written += count
            self.cpu_s = time.thread_time()


def give_to_folder(path: str) -> None:
    """Give a file to its folder's owner: in a container vLLM may be root, but the user isn't.

    Outside containers the owner is the same already.
    """
    folder = os.stat(os.path.dirname(path) or ".")  # noqa: PTH116, PTH120  # of a path that was given as a text
    with contextlib.suppress(OSError):
        os.chown(path, folder.st_uid, folder.st_gid)


def _open(target: str) -> tuple[Callable[[bytes], None], Callable[[], None]]:
    """Return the functions that write and close."""
    if target.startswith("unix:"):
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        stream.connect(target.removeprefix("unix:"))
        return stream.sendall, stream.close
    file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    give_to_folder(target)

    def write(data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]

    return write, lambda: os.close(file)
