"""Rules that few runs trip, each on a run of the embedded engine's scheduler that was built to provoke it."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from tests.unit.advice.test_diagnosis import rules
from tests.unit.advice.test_diagnosis_of_engine_runs import CHAT, STEP_MODEL, Watched, jobs_at
from workbench.advice import Bottleneck, RunView, compare, diagnose
from workbench.base import InputError
from workbench.engine.replay import ReplayJob
from workbench.engine.scheduler import Request, SchedulerConfig, SchedulerOutput
from workbench.profiles import StepModel
from workbench.results import RunFrame, Sample, summarize_run

ROOMY: dict[str, Any] = {"num_gpu_blocks": 40_000, "max_model_len": 32_768}


def compared(*views: RunView) -> list[str]:
    """The comparison in English."""
    return [str(note) for note in compare(*views)]


def run(
    jobs: list[ReplayJob], *, model: StepModel = STEP_MODEL, overhead_s: float = 0.0, **settings: Any
) -> Watched:
    config = SchedulerConfig(**{**ROOMY, **settings})
    watched = Watched(
        sorted(jobs, key=lambda job: job.due_s), config, model=model, request_overhead_s=overhead_s
    )
    watched.run()
    return watched


def measured(watched: Watched, length_s: float) -> RunView:
    """With the figures that a run of this length would have."""
    view = watched.view()
    summary = summarize_run(list(watched.records.values()), RunFrame(length_s=length_s), samples=view.samples)
    return replace(view, figures={**view.figures, **summary.to_json()}, length_s=length_s)


def test_r4_that_a_pool_that_fills_while_nobody_waits_is_foretold() -> None:
    """Six long answers grow into a pool that they would overfill; the look ends before they do."""
    jobs = [ReplayJob(due_s=index / 10, request=Request(f"r{index}", 200, 3000)) for index in range(6)]
    watched = run(jobs, num_gpu_blocks=1000, max_model_len=8192)
    view = watched.view()
    full = next(sample.t for sample in view.samples if (sample.kv_usage or 0) > 0.93)
    early = replace(view, samples=[sample for sample in view.samples if sample.t < full], records=())
    found = diagnose(early)
    assert rules(found) == {"R4"}
    assert found.change is not None
    assert found.change.control == "max_num_seqs"
    # And so it came.
    assert any(sample.preemptions for sample in view.samples)


def test_r5_that_an_engine_whose_step_takes_more_than_a_minute_is_stuck() -> None:
    """A prompt that is read in one step of 80 s: running requests get no token meanwhile."""
    slow = StepModel(a=5000, b=10_000, c=60, d=0.05, e=0.002)
    long = ReplayJob(due_s=2.0, request=Request("long", 8000, 5))
    found = diagnose(run([*jobs_at(1, 4, (10, 300)), long], model=slow).view())
    assert found.main is Bottleneck.STUCK
    assert "R5" in rules(found)


class Withheld(Watched):
    """The budget is taken away at a moment, with chunked prefill off: nobody can ever be admitted again."""

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        super().scheduled(step, now)
        if now > 3.0:
            self._scheduler.max_num_scheduled_tokens = 100


def test_r6_that_requests_that_can_never_be_admitted_to_an_empty_engine_are_a_livelock() -> None:
    config = SchedulerConfig(
        num_gpu_blocks=4000, max_model_len=4096, max_num_batched_tokens=4096, enable_chunked_prefill=False
    )
    watched = Withheld(jobs_at(2, 20, CHAT), config)
    with pytest.raises(InputError, match="the replay can't go on"):
        watched.run()
    scheduler, last = watched._scheduler, watched.samples[-1]
    assert (len(scheduler.running), scheduler.kv_cache_manager.usage) == (0, 0.0)
    gauges = {
        "running": 0.0,
        "waiting": float(len(scheduler.waiting)),
        "kv_usage": scheduler.kv_cache_manager.usage,
    }
    for quarter in range(1, 41):
        # What a scraper sees from here on, for nothing moves.
        watched.samples.append(msgspec.structs.replace(last, t=last.t + quarter / 4, **gauges))
    found = diagnose(replace(watched.view(), records=()))
    assert "R6" in rules(found)


def test_r9_that_a_second_replay_on_a_warm_cache_is_suspected() -> None:
    """The same prompts twice in one engine: the second half finds what the first left in the cache."""
    keys = {index: tuple((index, block) for block in range(18)) for index in range(40)}
    first = [
        ReplayJob(due_s=index / 4, request=Request(f"a{index}", 300, 40, block_hashes=keys[index]))
        for index in keys
    ]
    second = [
        ReplayJob(due_s=index / 4, request=Request(f"b{index}", 300, 40, block_hashes=keys[index]))
        for index in keys
    ]
    cold = run(first, enable_prefix_caching=True).view()
    both = run(
        [*first_again(first), *(job._replace(due_s=job.due_s + 30) for job in second)],
        enable_prefix_caching=True,
    )
    hits = both.samples[-1].prefix_hits or 0.0
    warm = replace(both.view(), figures={**both.view().figures, "prefix_hit": hits / (40 * 300)})
    said = compared(cold, warm)
    assert any("a warm cache may explain the difference" in str(sentence) for sentence in said)
    assert not any("warm cache" in str(sentence) for sentence in compared(cold, cold))


def first_again(jobs: list[ReplayJob]) -> list[ReplayJob]:
    """Fresh requests of the same kind, for a request lives once."""
    return [
        job._replace(
            request=Request(
                job.request.request_id,
                job.request.num_prompt_tokens,
                40,
                block_hashes=job.request.block_hashes,
            )
        )
        for job in jobs
    ]


def test_r10_that_a_servers_ttft_of_microseconds_is_not_believed() -> None:
    """An engine whose steps take 50 µs says so in its counters, and no server's first token is that quick."""
    quick = StepModel(a=50, b=0, c=0, d=0, e=0)
    found = diagnose(run(jobs_at(20, 200, (100, 2000)), model=quick).view())
    assert "R10" in rules(found)


def test_r12_that_long_prefill_without_a_queue_is_told_from_queueing() -> None:
    # A prompt of 30,000 tokens is read in about a second, one at a time.
    jobs = [ReplayJob(due_s=3.0 * index, request=Request(f"r{index}", 30_000, 20)) for index in range(80)]
    watched = run(jobs)
    view = measured(watched, 240.0)
    queue = {"p95": 0.0}
    found = diagnose(replace(view, figures={**view.figures, "queue_ms": queue}))
    assert view.figure("ttft_ms", "p95") is not None
    assert "R12" in rules(found)


def test_r14_that_one_request_with_most_of_a_small_pool_is_named() -> None:
    """A long answer holds two thirds of the pool; the prompts behind it need more than the rest."""
    owner = ReplayJob(due_s=0.0, request=Request("owner", 10_000, 2000))
    behind = [ReplayJob(due_s=1.0 + index, request=Request(f"r{index}", 7_000, 20)) for index in range(5)]
    watched = run([owner, *behind], num_gpu_blocks=940, max_model_len=12_288)
    found = diagnose(watched.view())
    assert found.main is Bottleneck.ONE_REQUEST
    assert "R14" in rules(found)


def test_r16_that_a_closed_loop_is_the_limit_where_the_server_has_room() -> None:
    jobs = [
        ReplayJob(due_s=0.0, request=Request(f"r{index}", *CHAT), after=index - 4 if index >= 4 else -1)
        for index in range(80)
    ]
    watched = run(jobs)
    for index, record in enumerate(watched.records.values()):
        # Of a slot, the next request is due when the one before it ended.
        if index >= 4:
            events = watched.events[f"r{index - 4}"]
            record.due = record.released = record.sent = events[-1]
    found = diagnose(replace(watched.view(), concurrency=4))
    assert found.main is Bottleneck.CLIENT
    assert "R16" in rules(found)


def test_r17_that_a_slow_front_end_is_told_from_a_slow_scheduler() -> None:
    """Two seconds pass before the scheduler hears of a request, which it then serves in less than one."""
    found = diagnose(run(jobs_at(6, 200, (100, 60)), overhead_s=2.0).view())
    assert found.main is Bottleneck.FRONT_END
    assert "R17" in rules(found)


def test_r18_that_an_engine_that_was_started_anew_is_said_first() -> None:
    before, after = (run(jobs_at(2, 30, CHAT)).view().samples for _ in range(2))
    end = before[-1].t + 1.0
    again = [msgspec.structs.replace(sample, t=sample.t + end) for sample in after]
    found = diagnose(RunView(samples=[*before, *again], limits={"max_num_seqs": 128}))
    assert found.findings[0].rule == "R18"


def test_r19_that_a_load_past_capacity_is_said_never_to_settle() -> None:
    watched = run(jobs_at(12, 240, CHAT), max_num_seqs=4)
    view = measured(watched, 20.0)
    assert view.figures["diverging"] is True
    found = diagnose(view)
    assert "R19" in rules(found)
    assert any(
        "Offered" in str(line) for each in found.findings if each.rule == "R19" for line in each.evidence
    )


def test_that_a_calm_engine_trips_none_of_these() -> None:
    view = measured(run(jobs_at(1.5, 120, CHAT)), 80.0)
    assert diagnose(view).findings == []


def test_that_samples_are_what_they_say() -> None:
    """The counters of the watched engine add up, else nothing above proves anything."""
    watched = run(jobs_at(4, 50, CHAT))
    last: Sample = watched.samples[-1]
    assert (last.prompt_tokens, last.ttft_count) == (50 * CHAT[0], 50)
    assert last.ttft_sum_s is not None
    assert last.ttft_sum_s > 0
