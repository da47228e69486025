"""Outputs of each step for the front, and counts for `/metrics`."""

from workbench.engine.scheduler import EngineCoreOutputs, Request, Scheduler, SchedulerOutput
from workbench.engine.server.engine_metrics import EngineMetrics, RequestStats
from workbench.engine.server.frames import FinishedRequest, Outputs, Timing
from workbench.engine.server.recorder import StepRecorder
from workbench.engine.server.tokens import output_token


class Served:
    """A request of the front in the engine."""

    __slots__ = ("handle", "life", "prompt", "request", "seed", "stamp")

    def __init__(self, handle: int, request: Request, stamp: float, seed: int, prompt: list[int]) -> None:
        self.handle = handle
        self.request = request
        self.stamp = stamp
        self.seed = seed
        self.prompt = prompt
        self.life = RequestStats(stamp, stamp, request.num_prompt_tokens)


class StepOutputs:
    """Observes the timeline; see `ideal_timeline.Watcher`."""

    def __init__(
        self, scheduler: Scheduler, tally: EngineMetrics, vocab_size: int, recorder: StepRecorder | None
    ) -> None:
        self.tally = tally
        self.outputs: Outputs | None = None
        """Outputs of the last step, until the process takes them."""
        self._scheduler = scheduler
        self._vocab_size = vocab_size
        self._recorder = recorder
        self._served: dict[Request, Served] = {}
        self._by_handle: dict[int, Served] = {}
        self._caching = scheduler.config.enable_prefix_caching
        self._deferred: list[Request] = []
        self._left: dict[Request, Served] = {}
        """Requests aborted during a step in flight: the record has the token sampled for them."""

    def expect(self, served: Served) -> None:
        """Add a request that will come from the input queue."""
        self._served[served.request] = served
        self._by_handle[served.handle] = served

    def find(self, handle: int) -> Request | None:
        """Return the request of a handle; None: it has ended."""
        served = self._by_handle.get(handle)
        return served.request if served else None

    # -- callbacks of the timeline -----------------------------------------------------------------

    def added(self, request: Request, now: float) -> None:
        """Note that the scheduler got a request."""
        served = self._served[request]
        served.life.queued = now
        if self._recorder:
            self._recorder.added(request, served.prompt, served.stamp)

    def aborted(self, request: Request) -> None:
        """Drop a request; as in vLLM, it does not count in the per-request figures."""
        if self._recorder:
            self._left[request] = self._served[request]
            self._recorder.aborted(request)
        self._forget(request)

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        """Stamp admissions and preemptions; only first admissions move the prefix counters."""
        for request, hit in step.scheduled_new_reqs:
            life = self._served[request].life
            life.scheduled = now
            life.cached = hit
            if self._caching:
                self.tally.admitted(request.num_tokens, hit)
        for request, _ in step.scheduled_resumed_reqs:
            life = self._served[request].life
            life.requeue_wait += now - (life.preempted_at or now)
        for request, _ in step.preempted_reqs:
            self._served[request].life.preempted_at = now
            self._deferred.append(request)
        if self._recorder:
            self._recorder.scheduled(step, self._scheduler, now)

    def updated(self, step: SchedulerOutput, update: EngineCoreOutputs, now: float) -> None:
        """Count tokens and ends, and set the gauges after the step's frees."""
        outputs = self._gather(update, now)
        if self._recorder:
            self._recorder.updated(step, update, self._scheduler, now, self._sampled(step))
        self._end(update, outputs)
        self._gauges()
        if outputs.handles or outputs.ended:
            self.outputs = outputs

    def _gather(self, update: EngineCoreOutputs, now: float) -> Outputs:
        handles: list[int] = []
        tokens: list[int] = []
        firsts: list[tuple[int, int]] = []
        tally, vocab_size = self.tally, self._vocab_size
        prompt_computed = 0
        for request in update.outputs:
            served = self._served[request]
            life = served.life
            handles.append(served.handle)
            tokens.append(output_token(served.seed, life.outputs, vocab_size))
            if life.outputs:
                tally.later_outputs(now - life.last_token, 1)
            else:
                life.first_token = now
                firsts.append((served.handle, life.cached))
                tally.first_output(now - life.arrival, life.prompt_tokens, life.cached)
                prompt_computed += life.prompt_tokens - life.cached
            life.outputs += 1
            life.last_token = now
            if request.num_preemptions > life.preemptions:
                # As in vLLM, the event travels with the request's next token.
                tally.preemptions += request.num_preemptions - life.preemptions
                life.preemptions = request.num_preemptions
        tally.step_done(len(tokens), prompt_computed)
        return Outputs(handles, tokens, firsts, [], now)

    def _sampled(self, step: SchedulerOutput) -> dict[str, int]:
        """Return each token that the step sampled, in its order, also for requests aborted meanwhile."""
        sampled: dict[str, int] = {}
        for request in step.sampling_reqs:
            request_id = request.request_id
            if served := self._served.get(request):
                sampled[request_id] = output_token(served.seed, served.life.outputs - 1, self._vocab_size)
            elif left := self._left.get(request):
                sampled[request_id] = output_token(left.seed, left.life.outputs, self._vocab_size)
        self._left = {
            request: served for request, served in self._left.items() if request.num_in_flight_tokens
        }
        return sampled

    def _end(self, update: EngineCoreOutputs, outputs: Outputs) -> None:
        for request, how in update.finished_requests:
            served = self._served[request]
            life = served.life
            reason = "stop" if how == "stop" else "length"
            self.tally.finished(reason, life, request.max_tokens)
            outputs.ended.append(FinishedRequest(served.handle, reason, _timing(life)))
            self._forget(request)

    def _gauges(self) -> None:
        scheduler, tally = self._scheduler, self.tally
        tally.running = len(scheduler.running)
        tally.waiting = len(scheduler.waiting)
        tally.kv_usage = scheduler.kv_cache_manager.usage
        if self._deferred:
            # Preempted during a step in flight: they wait for its output, not for capacity.
            self._deferred = [
                request
                for request in self._deferred
                if request.num_stale_output_tokens and request in self._served
            ]
        tally.deferred = len(self._deferred)

    def _forget(self, request: Request) -> None:
        del self._by_handle[self._served.pop(request).handle]

    def abort_all(self) -> Outputs:
        """Return aborts for all running requests; as in vLLM, waiting ones get none."""
        ended: list[FinishedRequest] = []
        for request in self._scheduler.running:
            ended.append(FinishedRequest(self._served[request].handle, "abort"))
            self.tally.ended["abort"] += 1
        return Outputs([], [], [], ended)


def _timing(life: RequestStats) -> Timing:
    return Timing(
        life.queued,
        life.scheduled,
        life.first_token,
        life.last_token,
        None if life.preempted_at is None else life.requeue_wait,
    )
