"""The conductor's side of a load: starts the workers, gives them one zero, passes their reports on."""

import asyncio
import contextlib
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any

import msgspec

from workbench.base import Message, Place, Refusal, WorkFailure, message, now, raise_open_files
from workbench.load.messages import (
    LoadRequest,
    Records,
    StartLoad,
    StopLoad,
    WorkerDone,
    WorkerFailed,
    WorkerJob,
    WorkerReady,
    WorkerSnapshot,
    WorkerStarted,
)
from workbench.load.options import LoadOptions
from workbench.load.parse_reads import late_p99_ms
from workbench.load.request_body import columns_of
from workbench.load.split_work import SnapshotMerger, portion, requests_of, split, worker_count
from workbench.load.target import Target
from workbench.load.usage_probe import takes_continuous_usage
from workbench.load.worker_process import WorkerProcess
from workbench.results.run_records import LoadSnapshot, Outcome, RequestRecord
from workbench.traces import Schedule, Trace

_MARGIN_S = 0.6
"""Time from the last worker's readiness to the first due time, to open connections."""
_SNAPSHOT_S = 0.2
_FILES_BESIDE = 40
"""Open files of a worker besides connections: the interpreter's, pipes, the event loop's."""

OnRecords = Callable[[list[RequestRecord]], None]
OnSnapshot = Callable[[LoadSnapshot], None]


class WorkerHost(msgspec.Struct, frozen=True):
    """Machine that runs load workers."""

    start: Callable[[WorkerJob], Awaitable[WorkerProcess]]
    """Start a worker and give it its job."""
    cores: int | None = None
    """Cores of that machine; None: those of this one."""
    least: int = 1
    """Fewest workers, such as one for each of several machines."""
    margin_s: float = _MARGIN_S
    """Time from the last worker's readiness to the first due time."""


LOCAL_WORKERS = WorkerHost(WorkerProcess.start)
"""Processes on this machine."""


class LoadOutcome(msgspec.Struct, kw_only=True):
    """Outcome of a load as a whole; the requests' records went to `on_records`."""

    zero: float
    """`workbench.base.now` at the schedule's start."""
    ended: float
    """Same clock, when the last request had ended."""
    workers: int
    continuous_usage: bool
    """The token count was requested in every event."""
    worker_deaths: list[Message] = msgspec.field(default_factory=list)
    """Workers that died; their requests count as never sent."""
    stopped: bool = False
    """An operator's stop ended it early."""
    closed_loop: bool = False
    """Its requests were due when others ended, so it ended with the last of them."""
    not_due: int = 0
    """Requests that the stop kept from falling due; they have no records."""
    start_late_s: float | None = None
    """Delay of the latest worker behind the common start; None: all were in time."""
    cpu_s: float = 0.0
    """Processor time of all workers, without their start."""
    read_late_p99_ms: float | None = None
    """Lateness by which stamps of reads may be off; None: the system has no such stamps."""


async def _unless_stopped(question: Coroutine[Any, Any, bool], stop: asyncio.Event | None) -> bool:
    """Return the answer, unless the user stops first.

    Raises:
        WorkFailure: it did; nothing was sent yet.
    """
    asking = asyncio.create_task(question)
    stopping = asyncio.create_task((stop or asyncio.Event()).wait())
    try:
        await asyncio.wait({asking, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            raise WorkFailure("load.stopped_before_start")
        return asking.result()
    finally:
        for task in (asking, stopping):
            task.cancel()
        await asyncio.gather(asking, stopping, return_exceptions=True)


async def run_load(  # noqa: PLR0913 - the load, then its observers
    target: Target,
    trace: Trace,
    schedule: Schedule,
    options: LoadOptions,
    *,
    on_records: OnRecords,
    on_snapshot: OnSnapshot,
    stop: asyncio.Event | None = None,
    start_at: float | None = None,
    on_start: Callable[[float], None] | None = None,
    texts: Mapping[int, str] | None = None,
    worker_host: WorkerHost = LOCAL_WORKERS,
) -> LoadOutcome:
    """Replay `schedule` against `target`.

    Args:
        target: the server.
        trace: prompts and lengths.
        schedule: due times.
        options: of the load.
        on_records: called at most a quarter of a second after requests ended, in their order.
        on_snapshot: called some five times a second.
        stop: ends the load; open requests become unfinished.
        start_at: wanted start of the schedule (`workbench.base.now`); later if workers or warm-up need it.
        on_start: called with the real start as soon as it is fixed.
        texts: real prompts by trace row, sent instead of invented ones; no record or file keeps them.
        worker_host: starts the workers, on this machine or another.

    Raises:
        Refusal: the target can't be reached or used, texts are to be sent as token ids, or a closed loop
            needs more connections than a process may have.
    """
    if texts and options.input_mode != "text":
        raise Refusal("load.texts_as_ids", Place(table="load", key="input_mode"))
    open_files = raise_open_files()  # a tunnel has its connections here
    options = await _settled(options, target, stop)
    run_id = secrets.token_hex(4)
    count = worker_count(trace, schedule, options, worker_host.cores, worker_host.least)
    jobs = _jobs(target, trace, schedule, options, run_id, texts or {}, count)
    if worker_host is LOCAL_WORKERS:
        _refuse_too_few_files(jobs, open_files)
    workers = _Workers(run_id, on_records, on_snapshot)
    try:
        await workers.start_all(jobs, worker_host.start)
        warmup_s = options.warmup_s / options.time_scale
        workers.begin(max(start_at or 0.0, now() + worker_host.margin_s + warmup_s))
        if on_start is not None:
            on_start(workers.zero)
        stopped = await workers.run(stop or asyncio.Event())
    finally:
        await workers.shut_down()
    outcome = workers.outcome(len(jobs), continuous_usage=bool(options.continuous_usage), stopped=stopped)
    outcome.closed_loop = schedule.concurrency is not None
    return outcome


def _refuse_too_few_files(jobs: Sequence[WorkerJob], limit: int | None) -> None:
    """Refuse slots that can't all have a connection; an open loop's need is known only afterwards.

    Raises:
        Refusal: one worker's slots are too many for the files that a process may open.
    """
    needed = max((job.slots or 0 for job in jobs), default=0) + _FILES_BESIDE
    if limit is not None and needed > limit:
        place = Place(table="load", key="concurrency")
        raise Refusal("load.too_few_files", place, needed=needed, limit=limit)


async def _settled(options: LoadOptions, target: Target, stop: asyncio.Event | None) -> LoadOptions:
    """Resolve options that depend on the server."""
    if options.continuous_usage is not None:
        return options
    asked = await _unless_stopped(takes_continuous_usage(target), stop)
    return msgspec.structs.replace(options, continuous_usage=asked)


def _jobs(
    target: Target,
    trace: Trace,
    schedule: Schedule,
    options: LoadOptions,
    run_id: str,
    texts: Mapping[int, str],
    workers: int,
) -> list[WorkerJob]:
    length_s = None if schedule.length_s is None else schedule.length_s / options.time_scale
    prompts = columns_of(trace)
    return [
        WorkerJob(
            worker=number,
            run_id=run_id,
            target=target,
            options=options,
            prompts=prompts,
            requests=share,
            slots=portion(schedule.concurrency, workers, number),
            endless=schedule.concurrency is not None and schedule.requests is None,
            max_in_flight=portion(options.max_in_flight, workers, number),
            length_s=length_s,
            texts={
                request.row: texts[request.row]
                for request in share
                if request.row in texts and not request.warmup
            },
        )
        for number, share in enumerate(split(requests_of(trace, schedule, options), workers))
    ]


class _Workers:
    """Workers of one load."""

    def __init__(self, run_id: str, on_records: OnRecords, on_snapshot: OnSnapshot) -> None:
        self._run_id = run_id
        self._on_records = on_records
        self._on_snapshot = on_snapshot
        self._merger = SnapshotMerger()
        self._workers: list[WorkerProcess] = []
        self._tasks: list[asyncio.Task[None]] = []
        self.zero = float("inf")
        self.deaths: list[Message] = []
        self.not_due = 0
        self.start_late_s: float | None = None
        self.cpu_s = 0.0
        self.reads = 0
        self.late_ms: Counter[int] = Counter()

    async def start_all(
        self, jobs: list[WorkerJob], start: Callable[[WorkerJob], Awaitable[WorkerProcess]]
    ) -> None:
        """Start a worker for each job; returns once all are ready or dead."""
        self._workers = list(await asyncio.gather(*(start(job) for job in jobs)))
        ready = [asyncio.Event() for _ in jobs]
        self._tasks = [
            asyncio.create_task(self._follow(worker, job, event))
            for worker, job, event in zip(self._workers, jobs, ready, strict=True)
        ]
        await asyncio.gather(*(event.wait() for event in ready))

    def begin(self, zero: float) -> None:
        """Send all workers the start of the schedule."""
        self.zero = zero
        self._tasks += [asyncio.create_task(worker.say(StartLoad(zero=zero))) for worker in self._workers]

    async def run(self, stop: asyncio.Event) -> bool:
        """Run until all is done; returns whether `stop` ended it."""
        reporter = asyncio.create_task(self._report())
        stopper = asyncio.create_task(self._stop_when(stop))
        try:
            await asyncio.gather(*self._tasks)
        finally:
            for task in (reporter, stopper):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
        self._on_snapshot(self._merger.merged(now() - self.zero))
        return stop.is_set()

    async def shut_down(self) -> None:
        """End all processes."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.close() for worker in self._workers))

    def outcome(self, workers: int, *, continuous_usage: bool, stopped: bool) -> LoadOutcome:
        """Return the outcome once all workers have ended."""
        return LoadOutcome(
            zero=self.zero,
            ended=now(),
            workers=workers,
            continuous_usage=continuous_usage,
            worker_deaths=self.deaths,
            stopped=stopped,
            not_due=self.not_due,
            start_late_s=self.start_late_s,
            cpu_s=self.cpu_s,
            read_late_p99_ms=late_p99_ms(self.reads, self.late_ms),
        )

    async def _report(self) -> None:
        while True:
            await asyncio.sleep(_SNAPSHOT_S)
            self._on_snapshot(self._merger.merged(now() - self.zero))

    async def _stop_when(self, stop: asyncio.Event) -> None:
        await stop.wait()
        for worker in self._workers:
            await worker.say(StopLoad())

    async def _follow(self, worker: WorkerProcess, job: WorkerJob, ready: asyncio.Event) -> None:
        """Pass on a worker's reports until it ends; if it dies, its open requests count as never sent."""
        left = {(request.warmup, request.index): request for request in job.requests}
        trouble: Message | None = None
        ended = False
        while (heard := await worker.hear()) is not None:
            match heard:
                case WorkerReady():
                    ready.set()
                case WorkerStarted(late_s=late_s) if late_s > 0:
                    self.start_late_s = max(late_s, self.start_late_s or 0.0)
                case Records(records=records):
                    for record in records:
                        left.pop((record.phase == "warmup", record.index), None)
                    self._on_records(records)
                case WorkerSnapshot():
                    self._merger.add(job.worker, heard, now() - self.zero)
                case WorkerFailed(why=trouble):
                    pass
                case WorkerDone():
                    ended = True
                    self._add_totals(heard)
        ending = await worker.close()
        if not ended:
            self._on_worker_exit(job.worker, _died(job.worker, ending, trouble), list(left.values()))
        ready.set()

    def _add_totals(self, last: WorkerDone) -> None:
        self.not_due += last.not_due
        self.cpu_s += last.cpu_s
        self.reads += last.reads
        self.late_ms.update(last.late_ms)

    def _on_worker_exit(self, number: int, why: Message, requests: list[LoadRequest]) -> None:
        self.deaths.append(why)
        self._merger.drop_worker(number)
        elapsed = max(0.0, now() - self.zero) if self.zero < float("inf") else 0.0
        self._on_records([_lost_record(request, why, elapsed, self._run_id) for request in requests])


def _died(number: int, ending: Message, trouble: Message | None) -> Message:
    if trouble is None:
        return message("load.worker_died", number=number, ending=ending)
    return message("load.worker_died_because", number=number, ending=ending, cause=trouble)


def _lost_record(request: LoadRequest, why: Message, elapsed: float, run_id: str) -> RequestRecord:
    """Return the record of a request whose worker died; the server is not to blame."""
    due = elapsed if request.due_s is None else request.due_s
    return request.record(
        f"{run_id}-{'w' if request.warmup else ''}{request.index}",
        due=due,
        released=due,
        outcome=Outcome.UNFINISHED,
        error=str(why),
    )
