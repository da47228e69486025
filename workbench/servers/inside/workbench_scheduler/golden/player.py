"""Plays one case through vLLM's engine loop, and writes down what each iteration did."""

from collections import deque
from collections.abc import Callable
from typing import Any

from .. import instrumented  # noqa: TID252  # in there the package has no other name
from ..tap import Tap  # noqa: TID252  # as above
from .parts import Parts
from .workload import EOS, outputs_of, prompt_of

MOST_STEPS = 20_000
"""Most iterations. With priorities and no reserve for whole prompts, two equal requests can preempt each
other for ever; such cases are left out."""
Row = dict[str, Any]


class _Iteration:
    """Events of one iteration: filled by the scheduler, emptied by the loop."""

    def __init__(self) -> None:
        self.output: Any = None
        self.free_s: int | None = None
        self.updated: Any = None
        self.finished: list[tuple[str, str]] = []
        self.preempted: list[tuple[str, int]] = []


def watched(parts: Parts) -> "Callable[[Any], Any]":
    """Return a function that makes a recording subclass of vLLM's scheduler."""

    def make(base: Any) -> Any:
        class WatchedScheduler(base):  # type: ignore[misc]  # known at run time only
            iteration: _Iteration

            def schedule(self, *args: Any, **kwargs: Any) -> Any:
                output = super().schedule(*args, **kwargs)
                seen = self.iteration
                seen.output, seen.preempted = output, list(self.tap.lines.preempted)
                seen.free_s = self.kv_cache_manager.block_pool.get_num_free_blocks()
                return output

            def update_from_output(self, output: Any, answer: Any) -> Any:
                alive = [self.requests[name] for name in output.num_scheduled_tokens if name in self.requests]
                result = super().update_from_output(output, answer)
                self.iteration.updated = output
                self.iteration.finished = [
                    (one.request_id, _reason(parts, one))
                    for one in alive
                    if one.request_id not in self.requests
                ]
                return result

        return WatchedScheduler

    return make


def _reason(parts: Parts, request: Any) -> str:
    if request.status == parts.status.FINISHED_STOPPED:
        return "stop"
    return "max_tokens" if request.num_output_tokens >= request.max_tokens else "max_model_len"


class CasePlayer:
    """Drives the engine core through one case."""

    def __init__(
        self,
        parts: Parts,
        config: "dict[str, Any]",
        requests: "list[dict[str, Any]]",
        limits: "list[tuple[int, str, int]]",
        writer: Any = None,
    ) -> None:
        """Prepare a case; `writer` gets the lines of our step recorder, as in a server."""
        self._parts = parts
        self._config = config
        self._requests = requests
        wrap = watched(parts)
        self.scheduler = parts.scheduler(
            config, lambda base: wrap(instrumented(base, lambda scheduler: Tap(scheduler, writer)))
        )
        self.limits = [one for one in limits if one[1] not in self.scheduler.tap.limits.impossible]
        """Limit changes that this version accepts."""
        self._hasher = parts.hasher(config)
        outputs = {one["id"]: outputs_of(one, config["max_model_len"]) for one in requests}
        self._core = parts.engine(self.scheduler, config, outputs)
        self._pool = self.scheduler.kv_cache_manager.block_pool
        self._evicted = self._preemptions = 0
        self._launched_at: dict[int, tuple[Any, int]] = {}
        self._count_evictions()

    def _count_evictions(self) -> None:
        evict = self._pool._maybe_evict_cached_block  # noqa: SLF001  # nothing else tells of it

        def counted(block: Any) -> Any:
            done = evict(block)
            self._evicted += bool(done)
            return done

        self._pool._maybe_evict_cached_block = counted  # noqa: SLF001  # as above

    def rows(self) -> "list[Row] | None":
        """Return every step; None if vLLM never finishes the case."""
        rows, t, coming, is_async = list[Row](), 0, deque(self._requests), self._config["async_scheduling"]
        changes = deque(self.limits)
        while t < MOST_STEPS:
            while changes and changes[0][0] <= t:
                _, name, value = changes.popleft()
                self.scheduler.tap.carry_out({"set": {name: value}})
            aborted, arrived = self._leftover_aborts(), False
            while coming and coming[0]["arrival_step"] <= t:
                self.scheduler.add_request(self._request(coming.popleft()))
                arrived = True
            aborted += [
                one["id"] for one in self._requests if one["abort_step"] == t and self._abort(one["id"])
            ]
            if not (self.scheduler.has_requests() or self._core.batch_queue):
                if not coming:
                    return rows
                t = coming[0]["arrival_step"]
                continue
            row = self._iterate(t, aborted)
            if is_async or arrived or any(row[field] for field in ("sched", "pre", "fin", "abt")):
                rows.append(row)
            t += 1
        return None

    def _request(self, one: "dict[str, Any]") -> Any:
        # Only a request that ends by itself has a stop token, as in the first golden cases.
        stops = {"stop_token_ids": [EOS]} if one["eos_at"] is not None else {}
        values = {
            "request_id": one["id"],
            "prompt_token_ids": prompt_of(one),
            "sampling_params": self._parts.sampling(max_tokens=one["output_len"], ignore_eos=True, **stops),
            "pooling_params": None,
            "eos_token_id": None,
            "arrival_time": float(one["arrival_time"]),
            "priority": one["priority"],
            "block_hasher": self._hasher,
        }
        return self._parts.taken_request(values)

    def _alive(self, name: str) -> bool:
        return name in self.scheduler.requests

    def _abort(self, name: str) -> bool:
        if not self._alive(name):
            return False
        self._core.abort_requests([name])
        return True

    def _leftover_aborts(self) -> "list[str]":
        """Apply aborts that no update has applied: they are in vLLM's input queue before schedule()."""
        left: list[str] = []
        while not self._core.aborts_queue.empty():
            left += [name for name in self._core.aborts_queue.get() if self._abort(name)]
        return left

    def _iterate(self, t: int, aborted: "list[str]") -> Row:
        scheduler, evicted, is_async = self.scheduler, self._evicted, self._config["async_scheduling"]
        seen = scheduler.iteration = _Iteration()
        leaving = [one["id"] for one in self._requests if one["abort_mid"] == t and self._alive(one["id"])]
        if leaving:
            self._core.aborts_queue.put(leaving)
        (self._core.step_with_batch_queue if is_async else self._core.step)()
        aborted = [*aborted, *(leaving if self._core.aborts_queue.empty() else [])]
        if seen.output is not None:
            self._launched_at[id(seen.output)] = (seen.output, t)
        self._preemptions += len(seen.preempted)
        row = {
            "t": t,
            **_launched(seen),
            "fin": seen.finished,
            "abt": aborted,
            "run": [request.request_id for request in scheduler.running],
            "wait": len(scheduler.waiting) + len(getattr(scheduler, "skipped_waiting", ())),
            "free": self._pool.get_num_free_blocks(),
            "evict": self._evicted - evicted,
            "npre": self._preemptions,
        }
        if is_async:
            row |= self._async_fields(seen)
        return row

    def _async_fields(self, seen: _Iteration) -> Row:
        upd = None
        if seen.updated is not None:
            _, launched = self._launched_at.pop(id(seen.updated))
            upd = launched if seen.updated.total_num_scheduled_tokens else None
        return {"called": seen.output is not None, "upd": upd, "inflight": len(self._core.batch_queue)}


def _launched(seen: _Iteration) -> Row:
    output = seen.output
    if output is None:
        return {"sched": [], "pre": [], "new": [], "res": [], "free_s": None}
    cached = output.scheduled_cached_reqs
    new = {one.req_id: one.num_computed_tokens for one in output.scheduled_new_reqs}
    resumed = {
        name: computed
        for name, computed in zip(cached.req_ids, cached.num_computed_tokens, strict=True)
        if name in cached.resumed_req_ids
    }
    order = list(output.num_scheduled_tokens)
    return {
        "sched": list(output.num_scheduled_tokens.items()),
        "pre": seen.preempted,
        "new": [(name, new[name]) for name in order if name in new],
        "res": [(name, resumed[name]) for name in order if name in resumed],
        "free_s": seen.free_s,
    }
