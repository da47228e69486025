"""A stat logger for vLLM that records the figures of every step: lighter than the scheduler's record.

Runs in vLLM's API server, not in its engine, and needs no scheduler class: the folder `stat_logger` beside
this package, put on PYTHONPATH with it, has the entry point by which vLLM finds plug-ins. It gets figures
but no decisions, so nothing can be replayed from them.

Environment: WORKBENCH_STATS, a file to write to, or unix:PATH, a socket with a listener.

Lines, one JSON object each; a figure that this version doesn't tell is null:
    header    version, engine
    stats     mono, engine; after the step: running, waiting, deferred, kv_usage; of the step: prompt_tokens,
              cached_tokens (of prompts whose first output this is), generation_tokens, preempted,
              ttft_s of those that began; step: requests and tokens that were computed, where vLLM runs with
              --enable-logging-iteration-details; finished: who ended, with all of its times
    dropped   lines that are missing here
    cost      now and then, and at the end: what all this took so far, in CPU seconds of the server's own
              thread (cpu_s, over so many calls) and of the writer's
"""

import atexit
import importlib
import logging
import os
import time
from collections.abc import Callable
from typing import Any

from .writer import RecordWriter

STATS = "WORKBENCH_STATS"
_COST_EVERY = 256
"""Calls."""
_FINISHED = {
    "id": "request_id",
    "queue_s": "queued_time",
    "prefill_s": "prefill_time",
    "decode_s": "decode_time",
    "e2e_s": "e2e_latency",
    "prompt_tokens": "num_prompt_tokens",
    "cached_tokens": "num_cached_tokens",
    "generation_tokens": "num_generation_tokens",
    "preemptions": "num_preemptions",
}
_STEP = {
    "context_requests": "num_ctx_requests",
    "context_tokens": "num_ctx_tokens",
    "generation_requests": "num_generation_requests",
    "generation_tokens": "num_generation_tokens",
    "elapsed_ms": "elapsed_ms",
}
_log = logging.getLogger("vllm.workbench")


class StatTap:
    """Records the figures of vLLM's stat loggers; the server goes on if this fails."""

    def __init__(self, writer: RecordWriter) -> None:
        self._writer: RecordWriter | None = writer
        self._calls = 0
        self._cpu_s = 0.0

    def put(self, make: Callable[..., dict[str, Any]], *arguments: Any) -> None:
        """Record a line."""
        writer = self._writer
        if writer is None:
            return
        begun = time.thread_time()
        try:
            writer.put(make(*arguments))
        except Exception:  # noqa: BLE001  # figures of another version may be anything
            self._writer = None
            _log.warning("The step record has stopped", exc_info=True)
            writer.close()
        self._calls += 1
        self._cpu_s += time.thread_time() - begun
        if self._calls % _COST_EVERY == 0:
            writer.put(self._cost(writer))

    def close(self) -> None:
        """Write the cost, and end."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        writer.put(self._cost(writer))
        writer.close()

    def _cost(self, writer: RecordWriter) -> dict[str, Any]:
        figures = {"ev": "cost", "calls": self._calls, "cpu_s": self._cpu_s}
        return {**figures, "writer_cpu_s": writer.cpu_s, "dropped": writer.dropped}


_taps: dict[str, StatTap | None] = {}
"""Taps by target: all engines of one API server share one."""


def tap_for(target: str) -> StatTap | None:
    """Return the tap that writes to `target`; None if it can't be written to."""
    if target not in _taps:
        try:
            tap = _taps[target] = StatTap(RecordWriter(target))
            atexit.register(tap.close)
        except OSError as error:
            _taps[target] = None
            _log.warning("No step record: %s: %s", target, error)
    return _taps[target]


def stats_line(scheduler: Any, iteration: Any, engine: int) -> dict[str, Any]:
    """Return one step's figures; either part may be missing."""
    prompts = getattr(iteration, "prompt_token_stats", None)
    return {
        "ev": "stats",
        "mono": time.monotonic(),
        "engine": engine,
        "running": getattr(scheduler, "num_running_reqs", None),
        "waiting": getattr(scheduler, "num_waiting_reqs", None),
        "deferred": getattr(scheduler, "num_skipped_waiting_reqs", None),
        "kv_usage": getattr(scheduler, "kv_cache_usage", None),
        "prompt_tokens": getattr(iteration, "num_prompt_tokens", None),
        "cached_tokens": getattr(prompts, "cached_tokens", None),
        "generation_tokens": getattr(iteration, "num_generation_tokens", None),
        "preempted": getattr(iteration, "num_preempted_reqs", None),
        "ttft_s": getattr(iteration, "time_to_first_tokens_iter", None) or [],
        "step": _named(getattr(scheduler, "iteration_details", None), _STEP),
        "finished": [_finished(one) for one in getattr(iteration, "finished_requests", None) or ()],
    }


def _finished(request: Any) -> dict[str, Any]:
    reason = getattr(request, "finish_reason", None)
    return {**(_named(request, _FINISHED) or {}), "reason": None if reason is None else str(reason)}


def _named(figures: Any, names: dict[str, str]) -> dict[str, Any] | None:
    if figures is None:
        return None
    return {name: getattr(figures, theirs, None) for name, theirs in names.items()}


def stat_logger(base: Any) -> Any:
    """Return a stat logger class on vLLM's `base`."""

    class WorkbenchStats(base):  # type: ignore[misc]  # known at run time only
        def __init__(self, vllm_config: Any, engine_index: int = 0) -> None:  # noqa: ARG002  # vLLM's signature
            target = os.environ.get(STATS)
            self._engine = engine_index
            self._tap = tap_for(target) if target else None
            if self._tap is not None:
                self._tap.put(_header, engine_index)

        def record(self, scheduler_stats: Any, iteration_stats: Any, *_: Any, **__: Any) -> None:
            if self._tap is not None:
                self._tap.put(stats_line, scheduler_stats, iteration_stats, self._engine)

        def log_engine_initialized(self) -> None:
            pass

    return WorkbenchStats


def _header(engine: int) -> dict[str, Any]:
    version = getattr(importlib.import_module("vllm"), "__version__", None)
    return {"ev": "header", "version": version, "engine": engine}


def __getattr__(name: str) -> Any:
    """Return `WorkbenchStats` for the entry point; vLLM is imported only then."""
    if name != "WorkbenchStats":
        raise AttributeError(name)
    return stat_logger(importlib.import_module("vllm.v1.metrics.loggers").StatLoggerBase)
