"""What the scheduler remembers between steps, and the moves that both of its phases make."""

from workbench.engine.scheduler.block_pool import BlockPool, OneQueuePool
from workbench.engine.scheduler.config import SchedulerConfig
from workbench.engine.scheduler.output import Step
from workbench.engine.scheduler.request import Request, Status
from workbench.engine.scheduler.request_queue import FcfsQueue, PriorityQueue, WaitingQueue


class State:
    """Queues, pool and live limits (rule 1.1). Internal to this package."""

    __slots__ = (
        "batch_places",
        "block_size",
        "by_id",
        "caching",
        "config",
        "finished_ids",
        "max_model_len",
        "max_running",
        "parked_blocks",
        "pool",
        "preemptions",
        "rules",
        "running",
        "threshold",
        "token_budget",
        "waiting",
    )

    def __init__(self, config: SchedulerConfig) -> None:
        self.config = config
        self.block_size = config.block_size
        self.max_model_len = config.max_model_len
        self.caching = config.enable_prefix_caching
        self.rules = config.rules
        pool = BlockPool if self.rules.keyless_blocks_first else OneQueuePool
        self.pool = pool(config.num_gpu_blocks)
        self.running: list[Request] = []
        self.waiting: WaitingQueue = PriorityQueue() if config.policy == "priority" else FcfsQueue()
        self.by_id: dict[str, Request] = {}
        self.finished_ids: set[str] = set()
        """Ended since the last schedule(), which tells the workers about them."""
        self.preemptions = 0
        self.batch_places = 0
        """Static batching: how many may still join the batch."""
        self.max_running = config.max_num_active_seqs or config.max_num_seqs
        self.token_budget = config.max_num_batched_tokens
        self.threshold = config.long_prefill_token_threshold
        self.parked_blocks = 0

    def long_prefill_cap(self) -> int:
        """Tokens that one request may get in this step; 0 is no cap (rule 1.2-0)."""
        contenders = len(self.running) + len(self.waiting)
        if not self.threshold or (contenders <= 1 and self.rules.threshold_in_company_only):
            return 0
        if self.config.long_prefill_token_threshold_adaptive:
            # vLLM's input budget: a live limit on the tokens of a step does not lower it.
            return max(self.threshold, self.config.max_num_batched_tokens // contenders)
        return self.threshold

    def register(self, request: Request, tokens: int) -> None:
        """Make the blocks that its first `tokens` tokens fill findable (rule 1.4, registration)."""
        first, full = request.registered, tokens // self.block_size
        if first >= full:
            return
        if full - first == 1:
            self.pool.register_one(request.blocks[first], request.key(first))
        else:
            self.pool.register(request.blocks[first:full], request.keys(first, full))
        request.registered = full

    def give_back(self, request: Request) -> None:
        """Free all of its blocks (rule 1.6)."""
        self.pool.release(request.blocks, request.registered)
        request.blocks = []
        request.registered = 0

    def preempt(self, request: Request, step: Step) -> None:
        """Recompute later: free all, keep the outputs, wait at the front (rule 1.7)."""
        self.give_back(request)
        step.preempted.append((request, request.computed))
        request.computed = 0
        request.placeholders = 0
        request.stale = request.in_flight
        request.preemptions += 1
        request.status = Status.PREEMPTED
        self.preemptions += 1
        self.waiting.put_back(request)
