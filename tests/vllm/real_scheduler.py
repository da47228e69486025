"""Makes random golden cases by vLLM's own scheduler; run by the Python of an environment that has vLLM 0.32.

    PYTHON real_scheduler.py MODEL OUT SEED COUNT

Scheduler, KV cache manager, block pool, block hasher and the loop bodies `EngineCore.step` and
`step_with_batch_queue` are vLLM's, unmodified; only the model is a stub. The files are golden cases as
`engine check` reads them, with four fields more: `abort_mid` (a client that leaves while the step runs),
`eos_at`, `long_prefill_token_threshold_adaptive` and `limits` (changed while it runs, by our plug-in).
"""

import copy
import json
import queue
import random
import sys
from collections import deque
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import torch
from random_workload import random_config, random_limits, random_requests, stream
from vllm import SamplingParams, __version__
from vllm.config import CacheConfig, DeviceConfig, ModelConfig, SchedulerConfig, VllmConfig
from vllm.utils.hashing import sha256
from vllm.v1.core.kv_cache_utils import get_request_block_hasher, init_none_hash
from vllm.v1.core.sched.async_scheduler import AsyncScheduler
from vllm.v1.core.sched.scheduler import Scheduler
from vllm.v1.engine.core import EngineCore
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec
from vllm.v1.outputs import ModelRunnerOutput
from vllm.v1.request import Request, RequestStatus
from vllm.v1.structured_output import StructuredOutputManager

sys.path.insert(0, str(Path(__file__).parents[2] / "workbench" / "servers" / "inside"))
from workbench_scheduler.limits import Limits, Parking

EOS = 1
"""No stream has it: their ids begin at 2."""
MOST_STEPS = 20_000
"""Under priority with no reserve for whole prompts two equals can preempt each other for ever: left out."""


# -- vLLM, with a stub for the model -------------------------------------------------------------------


class Watch:
    """What happened in one iteration; filled by the scheduler, emptied by the loop."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.output: Any = None
        self.free_s: int | None = None
        self.preempted: list[tuple[str, int]] = []
        self.updated: Any = None
        self.finished: list[tuple[str, str]] = []


def watched(base: type[Scheduler]) -> type[Scheduler]:
    """The class as it is; it only tells what it did."""

    class Watched(base):  # type: ignore[misc, valid-type]
        watch: Watch
        limits: Limits
        parking: Parking

        def schedule(self, *args: Any, **kwargs: Any) -> Any:
            self.parking.move_towards(self.limits.park_target)
            output = super().schedule(*args, **kwargs)
            self.watch.output = output
            self.watch.free_s = self.kv_cache_manager.block_pool.get_num_free_blocks()
            return output

        def _preempt_request(self, request: Request, *args: Any, **kwargs: Any) -> Any:
            self.watch.preempted.append((request.request_id, request.num_computed_tokens))
            return super()._preempt_request(request, *args, **kwargs)

        def update_from_output(self, output: Any, answer: Any) -> Any:
            self.watch.updated = output
            return super().update_from_output(output, answer)

        def _free_request(self, request: Request, *args: Any, **kwargs: Any) -> Any:
            if request.status != RequestStatus.FINISHED_ABORTED:
                self.watch.finished.append((request.request_id, _reason(request)))
            return super()._free_request(request, *args, **kwargs)

    return Watched


def _reason(request: Request) -> str:
    if request.status == RequestStatus.FINISHED_STOPPED:
        return "stop"
    return "max_tokens" if request.num_output_tokens >= request.max_tokens else "max_model_len"


class StubExecutor:
    """Answers each step at once with the tokens of the requests' streams."""

    def __init__(self, scheduler: Scheduler, outputs: dict[str, list[int]]) -> None:
        self._scheduler = scheduler
        self._outputs = outputs
        self._emitted = dict.fromkeys(outputs, 0)
        self._answer: ModelRunnerOutput | None = None

    def execute_model(self, output: Any, non_block: bool = False) -> Future[Any]:
        ids = list(output.num_scheduled_tokens)
        self._answer = ModelRunnerOutput(
            req_ids=ids,
            req_id_to_index={name: place for place, name in enumerate(ids)},
            sampled_token_ids=[self._sample(name) for name in ids],
        )
        return _ready(self._answer)

    def sample_tokens(self, grammar: Any, non_block: bool = False) -> Future[Any]:
        return _ready(self._answer)

    def _sample(self, name: str) -> list[int]:
        if self._scheduler.requests[name].is_prefill_chunk:
            return []
        self._emitted[name] += 1
        outputs = self._outputs[name]
        return [outputs[min(self._emitted[name], len(outputs)) - 1]]


def _ready(answer: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(answer)
    return future


def base_config(model: str) -> VllmConfig:
    return VllmConfig(
        model_config=ModelConfig(model=model, skip_tokenizer_init=True, dtype="float32"),
        cache_config=CacheConfig(block_size=16),
        scheduler_config=SchedulerConfig(max_model_len=8192, is_encoder_decoder=False),
        device_config=DeviceConfig(device="cpu"),
    )


def with_settings(base: VllmConfig, config: dict[str, Any]) -> VllmConfig:
    """A copy of vLLM's configuration with the case's settings; built once, since building takes a while."""
    made = copy.copy(base)
    made.model_config = copy.copy(base.model_config)
    made.model_config.max_model_len = config["max_model_len"]
    made.cache_config = copy.copy(base.cache_config)
    for name in ("block_size", "enable_prefix_caching", "num_gpu_blocks"):
        setattr(made.cache_config, name, config[name])
    made.scheduler_config = copy.copy(base.scheduler_config)
    for name in config.keys() - {"block_size", "enable_prefix_caching", "num_gpu_blocks", "max_model_len"}:
        setattr(made.scheduler_config, name, config[name])
    return made


def make_scheduler(base: VllmConfig, config: dict[str, Any]) -> Any:
    vllm_config = with_settings(base, config)
    spec = FullAttentionSpec(
        block_size=config["block_size"], num_kv_heads=1, head_size=1, dtype=torch.float32
    )
    kv_cache = KVCacheConfig(
        num_blocks=config["num_gpu_blocks"],
        kv_cache_tensors=[],
        kv_cache_groups=[KVCacheGroupSpec(["layer"], spec)],
    )
    made = watched(AsyncScheduler if config["async_scheduling"] else Scheduler)(
        vllm_config=vllm_config,
        kv_cache_config=kv_cache,
        structured_output_manager=StructuredOutputManager(vllm_config),
        block_size=config["block_size"],
        log_stats=True,
    )
    made.watch, made.limits, made.parking = Watch(), Limits(made), Parking(made)  # type: ignore[attr-defined]
    assert made.max_model_len == config["max_model_len"]
    return made


def make_engine(scheduler: Any, config: dict[str, Any], outputs: dict[str, list[int]]) -> Any:
    """vLLM's engine core as far as its two loop bodies need it: no model, no sockets."""
    core = EngineCore.__new__(EngineCore)
    core.scheduler = scheduler
    core.vllm_config = scheduler.vllm_config
    core.model_executor = StubExecutor(scheduler, outputs)  # type: ignore[assignment]
    core.aborts_queue = queue.Queue()
    core.log_stats = False
    core.batch_queue_size = 2 if config["async_scheduling"] else 1
    core.batch_queue = deque(maxlen=2) if config["async_scheduling"] else None
    core.is_mm_encoder_only = core.is_pooling_model = core.check_for_draft_tokens = False
    core._weight_version = None  # type: ignore[assignment]
    return core


# -- one case ------------------------------------------------------------------------------------------


class CasePlayer:
    """Drives the engine core through one case, and writes down what it did."""

    def __init__(
        self,
        base: VllmConfig,
        config: dict[str, Any],
        requests: list[dict[str, Any]],
        limits: list[tuple[int, str, int]],
    ) -> None:
        self._limits = deque(limits)
        self._config = config
        self._requests = requests
        self._scheduler = make_scheduler(base, config)
        hasher = get_request_block_hasher(config["block_size"], sha256)
        self._hasher = hasher if config["enable_prefix_caching"] else None
        outputs = {one["id"]: _outputs(one, config["max_model_len"]) for one in requests}
        self._core = make_engine(self._scheduler, config, outputs)
        self._pool = self._scheduler.kv_cache_manager.block_pool
        self._evicted = self._preemptions = 0
        self._launched_at: dict[int, int] = {}
        self._count_evictions()

    def _count_evictions(self) -> None:
        evict = self._pool._maybe_evict_cached_block

        def counted(block: Any) -> bool:
            done: bool = evict(block)
            self._evicted += done
            return done

        self._pool._maybe_evict_cached_block = counted

    def rows(self) -> list[dict[str, Any]] | None:
        """Every step; None: vLLM does not come to an end with it."""
        rows, t, coming, is_async = [], 0, deque(self._requests), self._config["async_scheduling"]
        while t < MOST_STEPS:
            self._change_limits(t)
            aborted = self._leftover_aborts()
            arrived = False
            while coming and coming[0]["arrival_step"] <= t:
                self._scheduler.add_request(self._request(coming.popleft()))
                arrived = True
            aborted += [
                one["id"] for one in self._requests if one["abort_step"] == t and self._abort(one["id"])
            ]
            if not (self._scheduler.has_requests() or self._core.batch_queue):
                if not coming:
                    return rows
                t = coming[0]["arrival_step"]
                continue
            row = self._iterate(t, aborted)
            if is_async or arrived or any(row[field] for field in ("sched", "pre", "fin", "abt")):
                rows.append(row)
            t += 1
        return None

    def _change_limits(self, t: int) -> None:
        while self._limits and self._limits[0][0] <= t:
            _, name, value = self._limits.popleft()
            self._scheduler.limits.check(name, value)
            self._scheduler.limits.change(name, value)

    def _request(self, one: dict[str, Any]) -> Request:
        prompt = [token for seed, length in one["prompt"] for token in stream(seed, length)]
        return Request(
            request_id=one["id"],
            prompt_token_ids=prompt,
            sampling_params=SamplingParams(
                max_tokens=one["output_len"], ignore_eos=True, stop_token_ids=[EOS]
            ),
            pooling_params=None,
            arrival_time=one["arrival_time"],
            priority=one["priority"],
            block_hasher=self._hasher,
        )

    def _alive(self, name: str) -> bool:
        return name in self._scheduler.requests

    def _abort(self, name: str) -> bool:
        if not self._alive(name):
            return False
        self._core.abort_requests([name])
        return True

    def _leftover_aborts(self) -> list[str]:
        """Aborts that no update has applied are in vLLM's input queue too, and so come before schedule()."""
        left = []
        while not self._core.aborts_queue.empty():
            left += [name for name in self._core.aborts_queue.get() if self._abort(name)]
        return left

    def _iterate(self, t: int, aborted: list[str]) -> dict[str, Any]:
        scheduler, watch = self._scheduler, self._scheduler.watch
        watch.clear()
        evicted, is_async = self._evicted, self._config["async_scheduling"]
        leaving = [one["id"] for one in self._requests if one["abort_mid"] == t and self._alive(one["id"])]
        if leaving:
            self._core.aborts_queue.put(leaving)
        (self._core.step_with_batch_queue if is_async else self._core.step)()
        aborted = [*aborted, *(leaving if self._core.aborts_queue.empty() else [])]
        if watch.output is not None:
            self._launched_at[id(watch.output)] = t
        self._preemptions += len(watch.preempted)
        row = {
            "t": t,
            **_launched(watch),
            "fin": watch.finished,
            "abt": aborted,
            "run": [request.request_id for request in scheduler.running],
            "wait": len(scheduler.waiting),
            "free": self._pool.get_num_free_blocks(),
            "evict": self._evicted - evicted,
            "npre": self._preemptions,
        }
        if is_async:
            updated = watch.updated
            upd = self._launched_at[id(updated)] if updated and updated.total_num_scheduled_tokens else None
            row |= {
                "called": watch.output is not None,
                "upd": upd,
                "inflight": len(self._core.batch_queue),
            }
        return row


def _outputs(one: dict[str, Any], length: int) -> list[int]:
    room = length - sum(part for _, part in one["prompt"])
    outputs = stream(one["out_seed"], min(one["output_len"], room))
    if one["eos_at"] is not None:
        outputs[one["eos_at"]] = EOS
    return outputs


def _launched(watch: Watch) -> dict[str, Any]:
    output = watch.output
    if output is None:
        return {"sched": [], "pre": [], "new": [], "res": [], "free_s": None}
    cached = output.scheduled_cached_reqs
    resumed = [
        (name, computed)
        for name, computed in zip(cached.req_ids, cached.num_computed_tokens, strict=True)
        if name in cached.resumed_req_ids
    ]
    return {
        "sched": list(output.num_scheduled_tokens.items()),
        "pre": watch.preempted,
        "new": [(new.req_id, new.num_computed_tokens) for new in output.scheduled_new_reqs],
        "res": resumed,
        "free_s": watch.free_s,
    }


def main() -> None:
    model, out, seed, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    init_none_hash(sha256)
    base = base_config(model)
    steps = preemptions = endless = 0
    for number in range(count):
        draw = random.Random(f"{seed}-{number}")
        config = random_config(draw)
        requests = random_requests(draw, config)
        limits = random_limits(draw, config)
        rows = CasePlayer(base, config, requests, limits).rows()
        if rows is None:
            endless += 1
            continue
        steps, preemptions = steps + len(rows), preemptions + rows[-1]["npre"]
        case = {
            "case": f"random-{seed}-{number}",
            "family": "random",
            "vllm_version": __version__.partition("+")[0],
            "scheduler": "AsyncScheduler" if config["async_scheduling"] else "Scheduler",
            "config": config,
            "requests": requests,
            "limits": limits,
            "steps": rows,
            "summary": {"steps": len(rows)},
        }
        (out / f"{number:04}.json").write_text(json.dumps(case))
    print(f"{count - endless} cases, {steps} steps, {preemptions} preemptions; {endless} without an end")


if __name__ == "__main__":
    main()
