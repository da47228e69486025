"""The run of a worker's job, from its first body to its last record."""

import asyncio
import time
from collections.abc import Callable

from workbench.base import message, now
from workbench.load.dispatcher import Dispatcher
from workbench.load.messages import (
    FromWorker,
    StartLoad,
    ToWorker,
    WorkerDone,
    WorkerJob,
    WorkerReady,
    WorkerStarted,
)
from workbench.load.progress_reporter import ProgressReporter
from workbench.load.request_body import BodyBuilder

_TICK_S = 0.05
_TICKS_A_SNAPSHOT = 4


class WorkerRun:
    """Runs a job from its first body to its last record.

    `before_ready` is called once all is prepared and nothing is due yet, for work that would delay requests.
    """

    def __init__(
        self,
        job: WorkerJob,
        say: Callable[[FromWorker], None],
        before_ready: Callable[[], None] = lambda: None,
    ) -> None:
        self._job = job
        self._say = say
        self._before_ready = before_ready
        self._reporter = ProgressReporter(say)
        self._dispatcher = Dispatcher(
            job,
            BodyBuilder(job.target, job.options, job.prompts, job.run_id, job.texts),
            self._reporter,
        )
        self._cpu_before_s = 0.0
        self.ready = asyncio.Event()
        """The first bodies are built."""

    def order(self, order: ToWorker | None) -> None:
        """Follow an order of the conductor's side; None: it is gone."""
        if isinstance(order, StartLoad):
            self._dispatcher.start(order.zero)
            warmup_s = self._job.options.warmup_s / self._job.options.time_scale
            self._say(WorkerStarted(late_s=now() - (order.zero - warmup_s)))
        elif not isinstance(order, WorkerJob):
            self._dispatcher.stop(message("load.stopped_by_user"))

    async def run(self) -> None:
        """Run the job.

        Raises:
            OSError: the target's name can't be resolved.
        """
        dispatcher = self._dispatcher
        await dispatcher.pool.resolve()
        dispatcher.prepare()
        await dispatcher.bodies.settle()
        self._before_ready()
        self._cpu_before_s = time.process_time()
        self.ready.set()
        self._say(WorkerReady())
        ticks = 0
        while not (dispatcher.idle or (dispatcher.stopped and not dispatcher.open)):
            await asyncio.sleep(_TICK_S)
            ticks += 1
            self._tick(ticks)
        self._finish()

    def _tick(self, ticks: int) -> None:
        dispatcher = self._dispatcher
        if not dispatcher.stopped:
            dispatcher.prepare()
            if now() > dispatcher.end_at():
                self._end()
        self._reporter.flush()
        if ticks % _TICKS_A_SNAPSHOT == 0:
            dispatcher.parser.parse_streaming(dispatcher.open.values())
            self._reporter.snapshot(dispatcher.open.values(), dispatcher.zero)

    def _end(self) -> None:
        """End open requests: the drain is over."""
        dispatcher = self._dispatcher
        dispatcher.stop(message("load.drain_over"))
        dispatcher.write_off(dispatcher.due_queue.remaining())

    def _finish(self) -> None:
        dispatcher = self._dispatcher
        dispatcher.close()
        self._reporter.flush()
        self._reporter.snapshot((), dispatcher.zero)
        self._say(
            WorkerDone(
                not_due=len(dispatcher.due_queue.remaining()),
                cpu_s=time.process_time() - self._cpu_before_s,
                reads=dispatcher.lateness.reads,
                late_ms=dispatcher.lateness.late_ms,
            )
        )
