"""The engine process, `python -m workbench.engine.server.core`; the front starts it with a job on stdin.

One loop, no threads: it sleeps in select() until a message comes or a step ends. It stops with the front (the
socket closes) or on its order.
"""

import gc
import select
import signal
import socket
import sys
import traceback
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import BinaryIO

from workbench.base import Refusal, decode_json, now
from workbench.engine.ideal_timeline import Arrival, Timeline
from workbench.engine.live_limits import current_limits, limit_ranges, set_limits
from workbench.engine.scheduler import Request, Scheduler, SchedulerOutput
from workbench.engine.server import log_lines
from workbench.engine.server.blockkeys import BlockKeys
from workbench.engine.server.engine_metrics import EngineMetrics
from workbench.engine.server.frames import (
    Abort,
    Add,
    EngineFailed,
    EngineReady,
    Hello,
    Outputs,
    Query,
    QueryReply,
    Splitter,
    StopEngine,
    ToEngine,
    decode_to_engine,
    encode,
)
from workbench.engine.server.job import EngineJob
from workbench.engine.server.lateness import LatenessHistogram
from workbench.engine.server.recorder import StepRecorder
from workbench.engine.server.step_outputs import Served, StepOutputs

_READ_BYTES = 1 << 20
_SEND_BUFFER_BYTES = 1 << 22
_GATHER_WALL_S = 0.05
"""Wait of static batching for requests that were sent together and arrive one after the other."""


class EngineProcess:
    """The engine's loop and its parts."""

    def __init__(self, job: EngineJob, link: socket.socket, record_to: BinaryIO | None) -> None:
        self._job = job
        self._link = link
        self._splitter = Splitter()
        self._unsent = bytearray()
        self._stopping = False
        self._lateness = LatenessHistogram()
        self._scheduler = Scheduler(job.scheduler)
        self._recorder = (
            StepRecorder(record_to, job.scheduler, job.zero, job.time_scale) if record_to else None
        )
        self._step_outputs = StepOutputs(
            self._scheduler, EngineMetrics(job.histogram_edges), job.vocab_size, self._recorder
        )
        self._step_model = job.step_model
        self._timeline = Timeline(
            self._scheduler, self._duration, self._step_outputs, gather_s=_gather_s(job)
        )

    def _duration(self, step: SchedulerOutput) -> float:
        return self._step_model.step_us(step.P, step.D, step.K, step.Q) * 1e-6

    # -- the loop ----------------------------------------------------------------------------------

    def run(self) -> None:
        """Serve until the front stops it or is gone."""
        while not self._stopping:
            due = self._timeline.next_event()
            if due is None and self._recorder:
                self._recorder.flush()
            moment = None if due is None else self._job.wall(due)
            wait = None if moment is None else max(0.0, moment - now())
            readable, writable, _ = select.select(
                [self._link], [self._link] if self._unsent else [], [], wait
            )
            if writable:
                self._flush()
            if readable and not self._read():
                return
            self._run_due()
        if self._recorder:
            self._recorder.flush()
        self._link.settimeout(None)
        self._link.sendall(self._unsent)

    def _run_due(self) -> None:
        """Run at most one event, so that messages are read between steps even when steps are late."""
        due = self._timeline.next_event()
        if due is None or (late := now() - self._job.wall(due)) < 0:
            return
        self._lateness.add(late)
        self._timeline.run_one()
        self._send_outputs()

    def _send_outputs(self) -> None:
        outputs, self._step_outputs.outputs = self._step_outputs.outputs, None
        if outputs is not None:
            self._send(outputs)

    def _send(self, message: EngineReady | QueryReply | Outputs) -> None:
        self._unsent += encode(message)
        self._flush()

    def _flush(self) -> None:
        """Send as much as the front takes now: a slow front must not delay a step."""
        try:
            sent = self._link.send(self._unsent)
        except BlockingIOError:
            return
        del self._unsent[:sent]

    # -- messages ----------------------------------------------------------------------------------

    def _read(self) -> bool:
        try:
            data = self._link.recv(_READ_BYTES)
        except BlockingIOError:
            return True
        for body in self._splitter.feed(data):
            self._handle(decode_to_engine(body))
        return bool(data)

    def _handle(self, message: ToEngine) -> None:
        match message:
            case Add():
                self._add(message)
            case Abort():
                for handle in message.handles:
                    if request := self._step_outputs.find(handle):
                        self._timeline.hand_in(Arrival(message.stamp, request, abort=True))
            case Query():
                self._send(QueryReply(message.ticket, self._answer(message)))
            case StopEngine():
                self._send(self._step_outputs.abort_all())
                self._stopping = True

    def _add(self, add: Add) -> None:
        job = self._job
        keys = None
        if job.scheduler.enable_prefix_caching:
            keys = BlockKeys(
                add.prompt,
                add.max_tokens,
                add.output_seed,
                job.vocab_size,
                job.scheduler.block_size,
                add.cache_salt,
            )
        request = Request(add.id, len(add.prompt), add.max_tokens, add.priority, add.arrival_time, keys)
        self._step_outputs.expect(Served(add.handle, request, add.stamp, add.output_seed, add.prompt))
        self._timeline.hand_in(Arrival(add.stamp, request))

    def _answer(self, ask: Query) -> dict[str, object]:
        match ask.what:
            case "metrics":
                if self._recorder:
                    # Whoever has the answer finds all that happened before in the record.
                    self._recorder.flush()
                return {**self._step_outputs.tally.snapshot(), "lateness_ms": self._lateness.summary()}
            case "limits":
                return {"limits": current_limits(self._scheduler), "ranges": limit_ranges(self._scheduler)}
            case "set_limits":
                return self._set_limits(ask.value or {})
            case "reset_prefix_cache":
                return {"done": self._scheduler.reset_prefix_cache()}
            case _:
                return {"error": f"unknown question {ask.what!r}"}

    def _set_limits(self, wanted: dict[str, object]) -> dict[str, object]:
        try:
            changes = set_limits(self._scheduler, wanted)
        except Refusal as refusal:
            return {"error": str(refusal)}
        if self._recorder:
            for name, change in changes.items():
                self._recorder.limit(name, change["old"], change["new"])
        self._timeline.nudge(self._job.simulated(now()))
        self._send_outputs()
        return {"changed": changes}


def _gather_s(job: EngineJob) -> float:
    return _GATHER_WALL_S * job.time_scale if job.scheduler.policy == "static" else 0.0


def _connect(job: EngineJob) -> socket.socket:
    link = socket.create_connection(("127.0.0.1", job.port), timeout=10)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
    link.sendall(encode(Hello(job.secret)))
    return link


def main() -> int:
    """Read the job and serve it; returns 1 if the engine could not start or broke."""
    # Ctrl-C in the terminal reaches both processes; the front decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    job = decode_json(sys.stdin.buffer.readline(), EngineJob, where="engine job")
    try:
        with _connect(job) as link, _record_file(job) as record_to:
            return _serve(job, link, record_to)
    except ConnectionError:
        return 0  # the front is gone


def _serve(job: EngineJob, link: socket.socket, record_to: BinaryIO | None) -> int:
    serving = False
    try:
        process = _start(job, link, record_to)
        serving = True
        process.run()
    except ConnectionError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it was is said in vLLM's words, then it ends
        log_lines.engine_failed(traceback.format_exc(), serving=serving)
        if not serving:
            link.sendall(encode(EngineFailed(str(error))))
        return 1
    return 0


def _record_file(job: EngineJob) -> AbstractContextManager[BinaryIO | None]:
    return Path(job.log_steps).open("wb") if job.log_steps else nullcontext()


def _start(job: EngineJob, link: socket.socket, record_to: BinaryIO | None) -> EngineProcess:
    started = now()
    log_lines.engine_starts(job)
    log_lines.check_room(job)
    process = EngineProcess(job, link, record_to)
    log_lines.engine_ready(job, now() - started)
    link.sendall(encode(EngineReady()))
    link.settimeout(0)
    gc.freeze()  # full collections would delay steps; vLLM's engine freezes too
    return process


if __name__ == "__main__":
    sys.exit(main())
