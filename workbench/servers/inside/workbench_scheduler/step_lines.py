"""Make the lines of a step record from vLLM's scheduler and its outputs.

The engine's thread only collects objects; `encoding` makes the line in the writer's thread.
"""

import importlib
import time
from typing import Any

from .request_ends import FreedBlocksWatch
from .wait_reason import AllocationWatch, wait_reason

_MOST_OPEN = 64
"""Most calls that may wait for an update; empty calls may never get one."""


class StepLines:
    """Makes the lines of one scheduler. The times of a line are taken when it is made."""

    def __init__(self, scheduler: Any) -> None:
        self.calls = 0
        self.preempted: list[tuple[str, int]] = []
        """Request and computed tokens lost, since the call began."""
        self._scheduler = scheduler
        self._seated = 0
        self._watch = AllocationWatch(scheduler)
        self._frees: FreedBlocksWatch | None = None
        if not getattr(scheduler, "preempts_by_method", True):
            self._frees = FreedBlocksWatch(scheduler.kv_cache_manager, self._freed)
        self._ended: set[str] = set()
        """Finished before the update under way."""
        self._numbers: dict[int, int] = {}
        """Call by the identity of its output, until its update."""

    def begin_call(self) -> None:
        """Begin a call, right before schedule()."""
        self.preempted.clear()
        self._watch.refused = False
        self._seated = len(self._scheduler.running)
        if self._frees is not None:
            self._frees.calling = True

    def _freed(self, request: Any) -> None:
        self.preempted.append((request.request_id, request.num_computed_tokens))

    def unseen(self) -> "list[str]":
        """Return the events that this version hides."""
        return ["preemptions"] if self._frees is not None and not self._frees.possible else []

    def scheduled(self, output: Any, seconds: float) -> dict[str, Any]:
        """Return the line of one call."""
        if self._frees is not None:
            self._frees.calling = False
        running, shares = self._scheduler.running, output.num_scheduled_tokens
        # A preemption ends admission for the step; without one, requests behind the earlier ones are new.
        admitted = [] if self.preempted else running[self._seated :]
        resumed = {one.request_id for one in admitted if one.num_preemptions}
        return {
            "ev": "sched",
            "t": self._number(output),
            "mono": time.monotonic(),
            "us": round(seconds * 1e6, 3),
            "sched": shares,
            "pre": list(self.preempted),
            "new": [one.request_id for one in admitted if one.request_id not in resumed],
            "res": [one.request_id for one in admitted if one.request_id in resumed],
            "hit": {
                one.request_id: one.num_computed_tokens - shares.get(one.request_id, 0) for one in admitted
            },
            **self._standing(),
            "why": wait_reason(
                self._scheduler, output.total_num_scheduled_tokens, self.preempted, self._watch
            ),
            # Only a preemption removes requests in this call; this counts those that were not observed.
            "unseen": max(0, self._seated - len(self.preempted) - len(running)),
        }

    def _number(self, output: Any) -> int:
        number, self.calls = self.calls, self.calls + 1
        self._numbers.pop(id(output), None)
        self._numbers[id(output)] = number
        if len(self._numbers) > _MOST_OPEN:
            del self._numbers[next(iter(self._numbers))]
        return number

    def begin_update(self) -> None:
        """Begin an update, right before update_from_output()."""
        self._ended = set(self._scheduler.finished_req_ids)

    def updated(self, output: Any, sampled: Any) -> dict[str, Any]:
        """Return the line of one processed output."""
        return {
            "ev": "update",
            "t": self._numbers.pop(id(output), -1),
            "mono": time.monotonic(),
            "tok": (
                output.num_scheduled_tokens,
                dict(sampled.req_id_to_index),
                list(sampled.sampled_token_ids),
            ),
            "fin": self._scheduler.finished_req_ids - self._ended,
            **self._standing(),
        }

    def _standing(self) -> dict[str, Any]:
        scheduler = self._scheduler
        return {
            "run": list(scheduler.running),
            "wait": scheduler.get_request_counts()[1],
            "free": scheduler.kv_cache_manager.block_pool.get_num_free_blocks(),
        }

    def added(self, request: Any) -> dict[str, Any]:
        """Return the line of an added request."""
        sampling = request.sampling_params
        ignores_end = sampling is None or sampling.ignore_eos
        return {
            "ev": "add",
            "id": request.request_id,
            "t_next": self.calls,
            "prompt": request.prompt_token_ids or [],
            "max_tokens": request.max_tokens,
            "priority": request.priority,
            "arrival_time": request.arrival_time,
            # vLLM stamps arrivals with the wall clock; the record uses the monotonic clock.
            "arrived": time.monotonic() - (time.time() - request.arrival_time),
            "eos": None if ignores_end else _eos_of(request, sampling),
            "stop_token_ids": list(getattr(sampling, "stop_token_ids", None) or ()),
            "skip_reading_prefix_cache": bool(getattr(request, "skip_reading_prefix_cache", False)),
        }

    def finished(self, ids: list[str], status: Any) -> dict[str, Any]:
        """Return the line of requests ended from outside."""
        return {"ev": "finish", "t_next": self.calls, "ids": ids, "status": getattr(status, "name", "")}

    def limit(self, name: str, old: int, new: int) -> dict[str, Any]:
        """Return the line of a changed limit."""
        return {"ev": "limit", "name": name, "old": old, "new": new, "t_next": self.calls}

    def cache_reset(self) -> dict[str, Any]:
        """Return the line of an emptied prefix cache."""
        return {"ev": "reset", "t_next": self.calls}


def _eos_of(request: Any, sampling: Any) -> Any:
    """Return the end token; before 0.17 the request itself has it."""
    return getattr(sampling, "eos_token_id", getattr(request, "eos_token_id", None))


def header(scheduler: Any, unseen: "list[str]") -> dict[str, Any]:
    """Return the first line: the scheduler's class and configuration."""
    config, manager = scheduler.scheduler_config, scheduler.kv_cache_manager
    adaptive = getattr(scheduler, "adaptive_long_prefill_threshold", False)
    return {
        "ev": "header",
        "base": type(scheduler).__bases__[-1].__name__,
        "async_scheduling": bool(config.async_scheduling),
        "max_concurrent_batches": getattr(scheduler.vllm_config, "max_concurrent_batches", 1),
        "use_v2_model_runner": bool(getattr(scheduler, "use_v2_model_runner", False)),
        "max_num_seqs": scheduler.max_num_running_reqs,
        "max_num_active_seqs": getattr(scheduler, "max_num_active_reqs", None),
        "max_num_batched_tokens": config.max_num_batched_tokens,
        "max_num_scheduled_tokens": scheduler.max_num_scheduled_tokens,
        "enable_chunked_prefill": bool(config.enable_chunked_prefill),
        "long_prefill_token_threshold": config.long_prefill_token_threshold,
        "long_prefill_token_threshold_adaptive": bool(adaptive),
        "policy": config.policy,
        "watermark": getattr(config, "watermark", 0.0),
        "watermark_blocks": getattr(manager, "watermark_blocks", 0),
        "scheduler_reserve_full_isl": bool(getattr(scheduler, "scheduler_reserve_full_isl", False)),
        "enable_prefix_caching": bool(scheduler.cache_config.enable_prefix_caching),
        "block_size": scheduler.block_size,
        "num_gpu_blocks": manager.block_pool.num_gpu_blocks,
        "max_model_len": scheduler.max_model_len,
        "log_stats": bool(scheduler.log_stats),
        "unseen": unseen,
        "version": getattr(importlib.import_module("vllm"), "__version__", None),
        "prefill_schedule_interval": getattr(config, "prefill_schedule_interval", 1),
    }
