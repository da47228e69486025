"""One experiment on a node: `python -m workbench.experiments.cluster.node_process`, its order on stdin.

It is an ordinary conductor. Its events and its bench file go out on stdout: a copy of the file after each
run, and all files at the end. When stdin closes, the reader is gone: the experiment stops, and its folder is
removed.
"""

import contextlib
import os
import queue
import shutil
import signal
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import psutil

from workbench.base import Message, WorkbenchError
from workbench.experiments.cluster.node_messages import (
    FromNode,
    NodeEnded,
    NodeEvent,
    NodeFilePart,
    NodeOrder,
    framed,
    read_node_order,
)
from workbench.experiments.run.events import (
    Event,
    ExperimentFinished,
    Notice,
    RunFinished,
    RunStarted,
    as_data,
    encode_event,
)
from workbench.experiments.run.execute import run_experiments

_PREFIX = "vllm-workbench-node-"
_RESULTS = "results"
_PART = 1 << 20
_SENT = (RunStarted, RunFinished, Notice, ExperimentFinished)


class _Sender:
    """Sends messages and files in its own thread, so that no run waits for the network."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._gone = False
        """The reader is gone; stdin closes too."""
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="results", daemon=True)
        self._thread.start()

    def say(self, what: FromNode) -> None:
        """Queue a message."""
        self._queue.put(lambda: self._send(what))

    def send_copy(self, bench: Path) -> None:
        """Queue a copy of a bench file that is being written."""
        self._queue.put(lambda: self._copy(bench))

    def finish(self, results: Path, ended: NodeEnded) -> None:
        """Send what is queued, all files of the results, and the end.

        Raises:
            OSError: a file can't be read.
        """
        self._queue.put(None)
        self._thread.join()
        # A copy holds the bench file's log open, so the files are whole only now.
        for path in sorted(each for each in results.rglob("*") if each.is_file()):
            self._file(path, path.relative_to(results).as_posix())
        self._send(ended)

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            job()

    def _send(self, what: FromNode) -> None:
        view = memoryview(framed(what))
        try:
            while view and not self._gone:
                view = view[self._stream.write(view) :]
        except OSError:
            self._gone = True

    def _copy(self, bench: Path) -> None:
        copy = bench.parent.parent / bench.name
        # If it fails, the next copy or the file itself has these runs too.
        with contextlib.suppress(sqlite3.Error, OSError):
            with (
                contextlib.closing(sqlite3.connect(bench)) as source,
                contextlib.closing(sqlite3.connect(copy)) as target,
            ):
                source.backup(target)
            self._file(copy, bench.name)
        copy.unlink(missing_ok=True)

    def _file(self, path: Path, name: str) -> None:
        with path.open("rb") as file:
            data = file.read(_PART)
            while True:
                following = file.read(_PART)
                self._send(NodeFilePart(name=name, data=data, last=not following))
                if not following:
                    return
                data = following


def main() -> int:
    """Carry out the order on stdin; wait until the reader has all of it."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not break a frame
    stdin = sys.stdin.buffer
    order = read_node_order(stdin)
    if order is None:
        return 1
    carry_out_for_reader(order, stdin, out)
    return 0


def carry_out_for_reader(order: NodeOrder, stdin: BinaryIO, out: BinaryIO) -> None:
    """Carry out the order and send the results to `out`; stop when `stdin` closes, and leave nothing here."""
    _exit_on_sigterm()
    _remove_stale()
    over = threading.Event()
    reader_gone = threading.Thread(target=_stop_when_closed, args=(stdin, over), daemon=True)
    reader_gone.start()
    work = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    sender = _Sender(out)
    try:
        ended = _carry_out(order, work, sender)
        over.set()
        _exit_on_sigterm()  # the conductor's own handler is gone with its loop
        sender.finish(work / _RESULTS, ended)
        reader_gone.join()
    finally:
        over.set()
        shutil.rmtree(work, ignore_errors=True)


def _exit_on_sigterm() -> None:
    """Let SIGTERM raise SystemExit, so that the work folder is removed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def _stop_when_closed(stdin: BinaryIO, over: threading.Event) -> None:
    stdin.read()
    if not over.is_set():
        os.kill(os.getpid(), signal.SIGTERM)


def _carry_out(order: NodeOrder, work: Path, sender: _Sender) -> NodeEnded:
    base, results = work / "inputs", work / _RESULTS
    for folder in (base, results):
        folder.mkdir()
    for name, content in order.files.items():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_bytes(content)
    bench = results / f"{order.name}.bench"

    def emit(event: Event) -> None:
        if isinstance(event, _SENT):
            sender.say(NodeEvent(line=encode_event(event)))
        if isinstance(event, RunFinished):
            sender.send_copy(bench)

    why: Message | str | None = None
    try:
        status = run_experiments([order.experiment], bench, emit, base=base, calibrated=order.calibrated)
    except WorkbenchError as error:
        status, why = "failed", as_data(error)
    return NodeEnded(status=status, why=why)


def _remove_stale() -> None:
    """Remove the folders of processes that were killed on this machine."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if pid.isdecimal() and not psutil.pid_exists(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    raise SystemExit(main())
