"""A scheduler with the names of vLLM 0.32's and its rules for the plain case: FCFS, no prefix cache."""

from collections import deque
from types import SimpleNamespace
from typing import Any


class Pool:
    def __init__(self, num_gpu_blocks: int) -> None:
        self.num_gpu_blocks = num_gpu_blocks
        self.free = num_gpu_blocks - 1

    def get_num_free_blocks(self) -> int:
        return self.free

    def get_new_blocks(self, count: int) -> list[int]:
        assert count <= self.free
        self.free -= count
        return [0] * count

    def free_blocks(self, blocks: list[int]) -> None:
        self.free += len(blocks)


class Manager:
    watermark_blocks = 0

    def __init__(self, num_gpu_blocks: int) -> None:
        self.block_pool = Pool(num_gpu_blocks)

    def allocate_slots(self, request: Any, tokens: int, whole: int = 0) -> list[int] | None:
        needed = -(-max(request.num_computed_tokens + tokens, whole) // 4) - len(request.blocks)
        if needed > self.block_pool.free:
            return None
        taken = -(-(request.num_computed_tokens + tokens) // 4) - len(request.blocks)
        request.blocks += self.block_pool.get_new_blocks(max(0, taken))
        return request.blocks


class Waiting(deque[Any]):
    def peek_request(self) -> Any:
        return self[0]


class Request(SimpleNamespace):
    """A request of `length` prompt tokens that ends after `max_tokens`."""

    def __init__(self, name: str, length: int, max_tokens: int) -> None:
        super().__init__(
            request_id=name,
            prompt_token_ids=list(range(2, 2 + length)),
            tokens=length,
            max_tokens=max_tokens,
            outputs=0,
            num_computed_tokens=0,
            num_preemptions=0,
            priority=0,
            arrival_time=float(len(name)),
            sampling_params=SimpleNamespace(ignore_eos=True),
            blocks=[],
        )


def configuration(rank: int = 0, **more: Any) -> SimpleNamespace:
    scheduler: dict[str, Any] = {
        "async_scheduling": False,
        "max_num_seqs": 4,
        "max_num_batched_tokens": 16,
        "enable_chunked_prefill": True,
        "long_prefill_token_threshold": 0,
        "policy": "fcfs",
        "watermark": 0.0,
    }
    return SimpleNamespace(
        scheduler_config=SimpleNamespace(**{**scheduler, **more}),
        parallel_config=SimpleNamespace(data_parallel_rank=rank),
        cache_config=SimpleNamespace(enable_prefix_caching=False),
        max_concurrent_batches=1,
    )


class Scheduler:
    scheduler_reserve_full_isl = True
    log_stats = True
    block_size = 4
    max_model_len = 32
    num_gpu_blocks = 21

    def __init__(self, vllm_config: Any) -> None:
        config = vllm_config.scheduler_config
        self.vllm_config, self.scheduler_config = vllm_config, config
        self.parallel_config, self.cache_config = vllm_config.parallel_config, vllm_config.cache_config
        self.kv_cache_config = SimpleNamespace(kv_cache_groups=[0])
        self.max_num_running_reqs = self.max_num_active_reqs = config.max_num_seqs
        self.max_num_scheduled_tokens = config.max_num_batched_tokens
        self.kv_cache_manager = Manager(self.num_gpu_blocks)
        self.requests: dict[str, Request] = {}
        self.running: list[Request] = []
        self.finished_req_ids: set[str] = set()
        self.waiting = Waiting()

    def get_request_counts(self) -> tuple[int, int]:
        return len(self.running), len(self.waiting)

    def add_request(self, request: Request) -> None:
        self.requests[request.request_id] = request
        self.waiting.append(request)

    def finish_requests(self, request_ids: Any, finished_status: Any) -> list[Request]:
        names = (request_ids,) if isinstance(request_ids, str) else request_ids
        ended = [self.requests[name] for name in names if name in self.requests]
        for request in ended:
            self._end(request)
        return ended

    def schedule(self, throttle_prefills: bool = False) -> SimpleNamespace:
        shares: dict[str, int] = {}
        preempted = self._serve_running(shares)
        if not preempted:
            self._admit(shares)
        for name, count in shares.items():
            self.requests[name].num_computed_tokens += count
        self.finished_req_ids = set()
        return SimpleNamespace(num_scheduled_tokens=shares, total_num_scheduled_tokens=sum(shares.values()))

    def _left(self, shares: dict[str, int]) -> int:
        return self.max_num_scheduled_tokens - sum(shares.values())

    def _serve_running(self, shares: dict[str, int]) -> bool:
        place, preempted = 0, False
        while place < len(self.running) and self._left(shares) > 0:
            request = self.running[place]
            count = min(request.tokens - request.num_computed_tokens, self._left(shares))
            while self.kv_cache_manager.allocate_slots(request, count) is None:
                preempted = True
                victim = self.running.pop()
                self._preempt(victim)
                if victim is request:
                    return True
            shares[request.request_id] = count
            place += 1
        return preempted

    def _admit(self, shares: dict[str, int]) -> None:
        while self.waiting and self._left(shares) > 0 and len(self.running) < self.max_num_active_reqs:
            request = self.waiting[0]
            if not self.scheduler_config.enable_chunked_prefill and request.tokens > self._left(shares):
                return
            count = min(request.tokens, self._left(shares))
            if self.kv_cache_manager.allocate_slots(request, count, request.tokens) is None:
                return
            self.running.append(self.waiting.popleft())
            shares[request.request_id] = count

    def _preempt(self, victim: Request) -> None:
        self._preempt_request(victim, 0.0)

    def _preempt_request(self, request: Request, timestamp: float) -> None:
        self._free(request)
        request.num_computed_tokens, request.num_preemptions = 0, request.num_preemptions + 1
        self.waiting.appendleft(request)

    def update_from_output(self, scheduler_output: Any, model_runner_output: Any) -> dict[int, Any]:
        for name in scheduler_output.num_scheduled_tokens:
            request = self.requests.get(name)
            if request is None or request.num_computed_tokens < request.tokens:
                continue
            request.tokens, request.outputs = request.tokens + 1, request.outputs + 1
            if request.outputs >= request.max_tokens:
                self._end(request)
        return {}

    def _end(self, request: Request) -> None:
        self._free(request)
        self.finished_req_ids.add(request.request_id)
        del self.requests[request.request_id]
        if request in self.running:
            self.running.remove(request)
        else:
            self.waiting.remove(request)

    def _free(self, request: Request) -> None:
        self.kv_cache_manager.block_pool.free_blocks(request.blocks)
        request.blocks = []

    def reset_prefix_cache(self) -> bool:
        return self.kv_cache_manager.block_pool.free == self.num_gpu_blocks - 1

    def make_stats(self) -> SimpleNamespace:
        return SimpleNamespace(kv_cache_usage=-1.0)

    def shutdown(self) -> None:
        pass


class AsyncScheduler(Scheduler):
    pass


def step(scheduler: Any) -> Any:
    """One turn of the engine's loop, whose model samples 7 wherever a prompt is through."""
    output = scheduler.schedule()
    names = list(output.num_scheduled_tokens)
    through = [
        scheduler.requests[name].num_computed_tokens >= scheduler.requests[name].tokens for name in names
    ]
    sampled = SimpleNamespace(
        req_id_to_index={name: place for place, name in enumerate(names)},
        sampled_token_ids=[[7] if done else [] for done in through],
    )
    scheduler.update_from_output(output, sampled)
    return output
