"""What holds for every workload, whatever the settings."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.engine.drive import Log, shares
from workbench.engine.scheduler import (
    BatchQueue,
    Request,
    RequestStatus,
    Scheduler,
    SchedulerConfig,
    SchedulerOutput,
)

BLOCK = 4
LENGTH = 64


@dataclass(frozen=True)
class Asked:
    at: int
    prompt: int
    output: int
    priority: int
    family: int
    eos_at: int | None
    abort_at: int | None


asked = st.builds(
    Asked,
    at=st.integers(0, 20),
    prompt=st.integers(1, 40),
    output=st.integers(1, 30),
    priority=st.integers(0, 2),
    family=st.integers(0, 2),
    eos_at=st.none() | st.integers(0, 25),
    abort_at=st.none() | st.integers(0, 40),
)


@st.composite
def configs(draw: st.DrawFn) -> SchedulerConfig:
    budget = draw(st.integers(8, 96))
    slots = draw(st.integers(1, 8))
    chunked = draw(st.booleans())
    return SchedulerConfig(
        num_gpu_blocks=draw(st.integers(LENGTH // BLOCK + 1, 60)),
        max_model_len=LENGTH,
        max_num_seqs=slots,
        max_num_active_seqs=draw(st.none() | st.integers(1, slots)),
        max_num_batched_tokens=budget if chunked else max(budget, LENGTH),
        enable_chunked_prefill=chunked,
        enable_prefix_caching=draw(st.booleans()),
        scheduler_reserve_full_isl=draw(st.booleans()),
        block_size=BLOCK,
        long_prefill_token_threshold=draw(st.sampled_from((0, 0, 5, 20))),
        long_prefill_token_threshold_adaptive=draw(st.booleans()),
        policy=draw(st.sampled_from(("fcfs", "priority", "static"))),
        watermark=draw(st.sampled_from((0.0, 0.0, 0.05))),
        async_scheduling=draw(st.booleans()),
    )


def requests_of(workload: list[Asked]) -> list[Request]:
    """Requests of one family share as much of their prompts as they both have."""
    return [
        Request(
            f"r{number}",
            each.prompt,
            each.output,
            priority=each.priority,
            arrival_time=float(each.at),
            block_hashes=[(each.family, block) for block in range(each.prompt // BLOCK)],
            eos_at=each.eos_at,
        )
        for number, each in enumerate(workload)
    ]


class Checks:
    """Invariants, looked at after every schedule() and update_from_output()."""

    def __init__(self, scheduler: Scheduler, config: SchedulerConfig) -> None:
        self.scheduler, self.config = scheduler, config
        self.slots = config.max_num_active_seqs or config.max_num_seqs

    def after_schedule(self, step: SchedulerOutput) -> None:
        assert (
            step.total_num_scheduled_tokens
            == sum(count for _, count in step.num_scheduled_tokens)
            <= self.config.max_num_batched_tokens
        )
        assert all(count > 0 for _, count in step.num_scheduled_tokens)
        assert len({each.request_id for each, _ in step.num_scheduled_tokens}) == len(
            step.num_scheduled_tokens
        )
        assert step.num_running_reqs <= self.slots
        assert step.D + len(
            [1 for each, _ in step.num_scheduled_tokens if each in step.prefill_chunk_reqs]
        ) <= len(step.num_scheduled_tokens)
        assert (step.head_wait is None) == (step.num_waiting_reqs == 0)
        assert not step.preempted_reqs or not (step.scheduled_new_reqs or step.scheduled_resumed_reqs)
        assert all(hit % BLOCK == 0 for _, hit in (*step.scheduled_new_reqs, *step.scheduled_resumed_reqs))
        self.conserved()

    def conserved(self) -> None:
        used = {block for each in self.scheduler.running for block in each.block_ids}
        assert 0 not in used
        assert len(used) + self.scheduler.num_free_blocks == self.config.num_gpu_blocks - 1
        assert all(not each.block_ids for each in self.scheduler.waiting)
        for each in self.scheduler.running:
            assert len(each.block_ids) == -(-each.num_context_tokens // BLOCK)


def play(config: SchedulerConfig, workload: list[Asked], *, checks: bool = True) -> tuple[list[Request], Log]:
    """Iterate as an engine does; returns the requests and all steps."""
    workload = sorted(workload, key=lambda each: each.at)
    requests, scheduler = requests_of(workload), Scheduler(config)
    batch_queue, watch, log = BatchQueue(scheduler), Checks(scheduler, config), []
    coming = list(zip(workload, requests, strict=True))
    for t in range(20_000):
        while coming and coming[0][0].at <= t:
            scheduler.add_request(coming.pop(0)[1])
        for each, request in zip(workload, requests, strict=True):
            if each.abort_at == t:
                scheduler.finish_requests(request.request_id)
        if not batch_queue.has_work():
            if not coming:
                break
            continue
        turn = batch_queue.step()
        if turn.scheduled is not None and checks:
            watch.after_schedule(turn.scheduled)
        if turn.awaited is not None:
            log.append((turn.awaited, scheduler.update_from_output(turn.awaited)))
            if checks:
                watch.conserved()
    else:
        pytest.fail("the engine stands still")
    assert scheduler.num_free_blocks == config.num_gpu_blocks - 1
    return requests, log


def as_bytes(log: Log) -> bytes:
    """Everything that was decided."""
    rows: list[Any] = [
        {
            "sched": shares(step),
            "pre": [(each.request_id, lost) for each, lost in step.preempted_reqs],
            "new": [(each.request_id, hit) for each, hit in step.scheduled_new_reqs],
            "res": [(each.request_id, hit) for each, hit in step.scheduled_resumed_reqs],
            "wait": step.head_wait,
            "free": step.num_free_blocks,
            "counts": (step.num_running_reqs, step.num_waiting_reqs),
            "model": (step.P, step.D, step.K, step.Q),
            "silent": sorted(each.request_id for each in step.prefill_chunk_reqs),
            "tok": [each.request_id for each in update.outputs],
            "fin": [(each.request_id, reason) for each, reason in update.finished_requests],
        }
        for step, update in log
    ]
    return json.dumps(rows).encode()


workloads = st.lists(asked, min_size=1, max_size=14)
many = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@many
@given(configs(), workloads)
def test_that_limits_hold_blocks_are_conserved_and_every_request_ends_once(
    config: SchedulerConfig, workload: list[Asked]
):
    requests, log = play(config, workload)
    ends = [each.request_id for _, update in log for each, _ in update.finished_requests]
    assert len(ends) == len(set(ends))
    for each in requests:
        assert (each.request_id in ends) == (each.finish_reason is not None)
        assert each.request_id in ends or each.status is RequestStatus.FINISHED_ABORTED
        expected = min(each.max_tokens, LENGTH - each.num_prompt_tokens)
        if each.eos_at is not None:
            expected = min(expected, each.eos_at + 1)
        assert each.num_output_tokens == expected or each.status is RequestStatus.FINISHED_ABORTED
        tokens = sum(each is other for _, update in log for other in update.outputs)
        assert tokens == each.num_output_tokens


@many
@given(configs(), workloads)
def test_that_the_same_workload_gives_the_same_bytes(config: SchedulerConfig, workload: list[Asked]):
    assert as_bytes(play(config, workload)[1]) == as_bytes(play(config, workload, checks=False)[1])


@many
@given(configs(), workloads)
def test_that_counting_steady_steps_decides_what_looping_over_them_decides(
    config: SchedulerConfig, workload: list[Asked]
):
    counted = as_bytes(play(config, workload)[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scheduler, "_begin_steady", lambda self, step: None)
        looped = as_bytes(play(config, workload)[1])
    assert counted == looped
