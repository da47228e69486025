"""A scheduler for vLLM that records its decisions and takes new limits while it serves.

Runs in vLLM's engine process, never in ours: the folder above is put on PYTHONPATH, and `--scheduler-cls
workbench_scheduler.WorkbenchScheduler` names it. Self-contained: it imports nothing of this program. The
scheduler under it is vLLM's own, sync or async as the configuration runs; it decides everything.

Environment:
    WORKBENCH_STEPS   a file to write the step record to, or unix:PATH, a socket with a listener
    WORKBENCH_LIMITS  a Unix socket to make, for its owner alone (see `control_socket`)
Engines of higher data-parallel rank append their rank to both paths.
"""

import importlib
import os
import time
from collections.abc import Callable
from typing import Any

from .control_socket import ControlSocket
from .request_ends import ended_ids, unfinished
from .tap import Tap
from .writer import RecordWriter

STEPS, LIMITS = "WORKBENCH_STEPS", "WORKBENCH_LIMITS"
_Base: Any = object


class _TappedScheduler(_Base):  # type: ignore[misc]  # vLLM's class, known only at run time
    """Wraps vLLM's scheduler by inheritance: each call passes through it and is recorded by a tap."""

    make_tap: Callable[[Any], Tap]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._updating = False
        self.tap = self.make_tap(self)

    def add_request(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        known = request.request_id in self.requests
        answer = super().add_request(request, *args, **kwargs)
        if not known:
            self.tap.tell(self.tap.lines.added, request)
        return answer

    def finish_requests(self, request_ids: Any, finished_status: Any) -> Any:
        if request_ids is not None and not isinstance(request_ids, str):
            request_ids = tuple(request_ids)
        before = {} if self._updating else unfinished(self, request_ids)
        answer = super().finish_requests(request_ids, finished_status)
        gone = ended_ids(self, before, answer) if before else []
        if gone:
            self.tap.tell(self.tap.lines.finished, gone, finished_status)
        return answer

    def schedule(self, *args: Any, **kwargs: Any) -> Any:
        tap = self.tap
        with tap.lock:
            tap.begin_call()
            since = time.perf_counter()
            output = super().schedule(*args, **kwargs)
            tap.tell(tap.lines.scheduled, output, time.perf_counter() - since)
        return output

    def update_from_output(self, scheduler_output: Any, model_runner_output: Any) -> Any:
        self.tap.begin_update()
        self._updating = True
        try:
            answer = super().update_from_output(scheduler_output, model_runner_output)
        finally:
            self._updating = False
        self.tap.tell(self.tap.lines.updated, scheduler_output, model_runner_output)
        return answer

    def _preempt_request(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        self.tap.lines.preempted.append((request.request_id, request.num_computed_tokens))
        return super()._preempt_request(request, *args, **kwargs)

    def reset_prefix_cache(self, *args: Any, **kwargs: Any) -> Any:
        # The pool counts reserved blocks as used and would refuse; the next step reserves them again.
        self.tap.reserved.move_towards(0)
        answer = super().reset_prefix_cache(*args, **kwargs)
        if answer:
            self.tap.tell(self.tap.lines.cache_reset)
        return answer

    def make_stats(self, *args: Any, **kwargs: Any) -> Any:
        stats = super().make_stats(*args, **kwargs)
        if stats is not None and len(self.tap.reserved):
            stats.kv_cache_usage = self.tap.reserved.usage()
        return stats

    def shutdown(self) -> None:
        super().shutdown()
        self.tap.close()


def instrumented(base: Any, make_tap: Callable[[Any], Tap]) -> Any:
    """Return a subclass of vLLM's `base` with a tap."""
    own = {"make_tap": staticmethod(make_tap), "preempts_by_method": hasattr(base, "_preempt_request")}
    return type("Instrumented", (_TappedScheduler, base), own)


def tap_of(scheduler: Any) -> Tap:
    """Return the tap that the environment asks for."""
    parallel = scheduler.parallel_config
    rank = getattr(parallel, "data_parallel_index", getattr(parallel, "data_parallel_rank", 0))
    suffix = f".{rank}" if rank else ""
    steps, limits = os.environ.get(STEPS), os.environ.get(LIMITS)
    tap = Tap(scheduler, RecordWriter(steps + suffix) if steps else None)
    if limits:
        tap.closing.append(ControlSocket(limits + suffix, tap).close)
    return tap


class WorkbenchScheduler:
    """The class for `--scheduler-cls`: makes vLLM's own scheduler with a tap."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Return the configuration's own scheduler, instrumented."""
        is_async = kwargs["vllm_config"].scheduler_config.async_scheduling
        module, name = ("async_scheduler", "AsyncScheduler") if is_async else ("scheduler", "Scheduler")
        base = getattr(importlib.import_module(f"vllm.v1.core.sched.{module}"), name)
        return instrumented(base, tap_of)(*args, **kwargs)
