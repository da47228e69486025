"""Diagnosis of runs of the embedded engine, each built to provoke one limit and seen as a scraper would."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from workbench.advice import Bottleneck, Diagnosis, RunView, StepWait, compare, diagnose
from workbench.engine import load_demo
from workbench.engine.demos.demo import prepare
from workbench.engine.replay import Replay, ReplayJob
from workbench.engine.scheduler import EngineCoreOutputs, Request, SchedulerConfig, SchedulerOutput
from workbench.profiles import StepModel
from workbench.results import Outcome, RequestRecord, Sample

COUNTERS = (
    *("preemptions", "prompt_tokens", "generation_tokens", "succeeded"),
    *("prefix_queries", "prefix_hits", "ttft_sum_s", "ttft_count"),
)
STEP_MODEL = StepModel(a=5000, b=25, c=60, d=0.05, e=0.002)
CHAT = (300, 120)


def compared(*views: RunView) -> list[str]:
    """The comparison in English."""
    return [str(note) for note in compare(*views)]


class Watched(Replay):
    """A replay that is scraped four times a second and whose requests leave records."""

    def __init__(
        self,
        jobs: list[ReplayJob],
        config: SchedulerConfig,
        *,
        queued: int | None = None,
        model: StepModel = STEP_MODEL,
        request_overhead_s: float = 0.0,
    ) -> None:
        super().__init__(
            jobs, config, model, max_num_queued_reqs=queued, request_overhead_s=request_overhead_s
        )
        self.limits = {
            "max_num_seqs": config.max_num_seqs,
            "max_num_batched_tokens": config.max_num_batched_tokens,
            "max_num_queued_reqs": queued,
        }
        self.pool = config.num_gpu_blocks - 1
        self.block_size = config.block_size
        self.samples: list[Sample] = []
        self.waits: list[StepWait] = []
        self.records = {job.request.request_id: _record(index, job) for index, job in enumerate(jobs)}
        self.events: dict[str, list[float]] = {}
        self._counts = dict.fromkeys(COUNTERS, 0.0)
        self._next = 0.0

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        super().scheduled(step, now)
        self._counts["preemptions"] += len(step.preempted_reqs)
        self._counts["prefix_queries"] += sum(
            request.num_prompt_tokens for request, _ in step.scheduled_new_reqs
        )
        self._counts["prefix_hits"] += sum(found for _, found in step.scheduled_new_reqs)
        self.waits.append(StepWait(t=now, reason=step.head_wait.reason if step.head_wait else None))
        while self._next <= now:
            self.samples.append(
                Sample(
                    t=self._next,
                    running=step.num_running_reqs,
                    waiting=step.num_waiting_reqs,
                    kv_usage=1 - step.num_free_blocks / self.pool,
                    rejected=len(self.rejected),
                    **self._counts,
                )
            )
            self._next += 0.25

    def updated(self, step: SchedulerOutput, update: EngineCoreOutputs, now: float) -> None:
        super().updated(step, update, now)
        self._counts["generation_tokens"] += len(update.outputs)
        self._counts["succeeded"] += len(update.finished_requests)
        for request in update.outputs:
            events = self.events.setdefault(request.request_id, [])
            if not events:
                self._counts["prompt_tokens"] += request.num_prompt_tokens
                self._counts["ttft_count"] += 1
                self._counts["ttft_sum_s"] += now - self.records[request.request_id].due
            events.append(now)

    def view(self, *, steps: bool = False) -> RunView:
        for name, events in self.events.items():
            record = self.records[name]
            record.first_token, record.last_token, record.done = events[0], events[-1], events[-1]
            record.outcome = Outcome.COMPLETED
            record.gaps_ms = np.asarray(np.diff(events) * 1000, dtype="<f4").tobytes()
        tokens = self._counts["generation_tokens"]
        figures: Mapping[str, Any] = {
            "output_tok_s": tokens / self.samples[-1].t,
            "preemptions": self._counts["preemptions"],
        }
        if self._counts["prefix_queries"]:
            figures = {**figures, "prefix_hit": self._counts["prefix_hits"] / self._counts["prefix_queries"]}
        for job in self.rejected:
            record = self.records[job.request.request_id]
            record.done, record.outcome = record.sent, Outcome.REJECTED
        return RunView(
            samples=self.samples,
            limits=self.limits,
            figures=figures,
            records=list(self.records.values()),
            step_waits=self.waits if steps else (),
            kv_cache_tokens=self.pool * self.block_size,
        )


def _record(index: int, job: ReplayJob) -> RequestRecord:
    return RequestRecord(
        index=index, row=index, request_id=job.request.request_id, cls="any",
        input_tokens=job.request.num_prompt_tokens,
        output_tokens=job.request.max_tokens, due=job.due_s, released=job.due_s, sent=job.due_s,
    )  # fmt: skip


def jobs_at(
    rate: float, count: int, shape: tuple[int, int], *, start: float = 0.0, name: str = "r"
) -> list[ReplayJob]:
    gaps = np.random.default_rng(7).exponential(1 / rate, count)
    return [
        ReplayJob(due_s=start + float(due), request=Request(f"{name}{index}", *shape))
        for index, due in enumerate(np.cumsum(gaps))
    ]


def _run(jobs: list[ReplayJob], *, queued: int | None = None, **settings: Any) -> Watched:
    config = SchedulerConfig(**{"num_gpu_blocks": 40_000, "max_model_len": 32_768, **settings})
    watched = Watched(sorted(jobs, key=lambda job: job.due_s), config, queued=queued)
    watched.run()
    return watched


def _found(watched: Watched, *, steps: bool) -> Diagnosis:
    return diagnose(watched.view(steps=steps))


@pytest.mark.parametrize("steps", [False, True])
def test_that_too_few_seats_are_found(steps: bool) -> None:
    watched = _run(jobs_at(12, 200, CHAT), max_num_seqs=8)
    found = _found(watched, steps=steps)
    assert found.main is Bottleneck.SEQUENCES
    assert found.shares["seats"] > 0.8
    assert found.change is not None
    assert found.change.control == "max_num_seqs"


@pytest.mark.parametrize("steps", [False, True])
def test_that_too_small_a_pool_is_found(steps: bool) -> None:
    watched = _run(jobs_at(12, 90, (300, 600)), num_gpu_blocks=800, max_model_len=2048, max_num_seqs=256)
    found = _found(watched, steps=steps)
    assert found.main is Bottleneck.KV_CACHE
    kv = next(finding for finding in found.findings if finding.bottleneck is Bottleneck.KV_CACHE)
    assert "preemptions" in str(kv.verdict)
    assert any("Longest pause" in str(sentence) for sentence in kv.evidence)


def test_that_seats_are_raised_to_what_the_pool_holds_to_their_end_and_no_further() -> None:
    tight = {"num_gpu_blocks": 800, "max_model_len": 2048}
    found = _found(_run(jobs_at(12, 90, (300, 600)), max_num_seqs=12, **tight), steps=False)
    assert found.main is Bottleneck.SEQUENCES
    assert found.change is not None
    seats = next(finding for finding in found.findings if finding.bottleneck is Bottleneck.SEQUENCES)
    assert "The pool holds 14.2 requests of this load's mean length to their end." in list(
        map(str, seats.evidence)
    )
    assert (found.change.control, found.change.value) == ("max_num_seqs", 14)
    assert "KV use would be about" in str(found.change.cost)


def test_that_with_the_seats_that_it_proposes_nobody_is_preempted() -> None:
    """Of requests of one length the pool holds 14.2 to their end: fourteen seats."""
    tight = {"num_gpu_blocks": 800, "max_model_len": 2048}
    found = _found(_run(jobs_at(12, 90, (300, 600)), max_num_seqs=40, **tight), steps=False)
    kv = next(finding for finding in found.findings if finding.bottleneck is Bottleneck.KV_CACHE)
    assert "The pool holds 14.2 requests of this load's mean length to their end." in list(
        map(str, kv.evidence)
    )
    assert kv.change is not None
    assert (kv.change.control, kv.change.value) == ("max_num_seqs", 14)
    assert "preemptions can be worth it" in str(kv.change.cost)
    again = _run(jobs_at(12, 90, (300, 600)), max_num_seqs=kv.change.value, **tight)
    assert again.view().figures["preemptions"] == 0


@pytest.mark.parametrize("steps", [False, True])
def test_that_too_small_a_token_budget_is_found(steps: bool) -> None:
    watched = _run(jobs_at(6, 100, (4000, 20)), max_num_batched_tokens=512, max_num_seqs=256)
    found = _found(watched, steps=steps)
    assert found.main is Bottleneck.BUDGET
    assert found.change is not None
    assert (found.change.control, found.change.value) == ("max_num_batched_tokens", 1024)


def test_that_a_full_house_is_found() -> None:
    watched = _run(jobs_at(20, 250, CHAT), max_num_seqs=8, queued=16)
    found = _found(watched, steps=False)
    assert found.main is Bottleneck.ADMISSION
    assert "max_num_queued_reqs 16" in str(found.findings[0].verdict)


def test_that_a_light_load_is_bound_by_nothing() -> None:
    watched = _run(jobs_at(1.5, 60, CHAT))
    found = _found(watched, steps=False)
    assert found.main is Bottleneck.NONE
    assert any("can't matter here" in str(reach.verdict) for reach in found.headrooms)


def test_that_more_seats_with_preemptions_are_shown_from_both_sides() -> None:
    runs = [
        _run(jobs_at(10, 80, (300, 600)), num_gpu_blocks=800, max_model_len=2048, max_num_seqs=seats)
        for seats in (10, 40)
    ]
    said = compared(*(run.view() for run in runs))
    assert any(
        "preemptions against 0:" in str(sentence) and "% tokens/s" in str(sentence) for sentence in said
    )
    assert any("Their price: a pause of up to" in str(sentence) for sentence in said)
    assert said[-1].startswith("The bottleneck moved: sequence limit")


def test_that_long_prompts_that_halt_decoding_are_found() -> None:
    jobs = [*jobs_at(4, 120, CHAT), *jobs_at(0.3, 9, (30_000, 50), name="long")]
    found = _found(_run(jobs, max_num_seqs=256, max_num_batched_tokens=8192), steps=False)
    assert found.main is Bottleneck.DECODE_STARVED
    assert found.change is not None
    assert found.change.control == "long_prefill_token_threshold"


def test_that_recorded_steps_tell_whether_the_token_budget_kept_anyone_waiting() -> None:
    watched = _run(jobs_at(12, 100, CHAT), max_num_seqs=8)
    said = {reach.control: str(reach.verdict) for reach in _found(watched, steps=True).headrooms}
    assert "never kept a request waiting" in said["max_num_batched_tokens"]


def _demo(name: str, variant_name: str) -> Diagnosis:
    demo = load_demo(name)
    variant = next(each for each in demo.variants if each.name == variant_name)
    ready = prepare(demo, variant)
    watched = Watched(
        list(ready.jobs), ready.config, queued=ready.max_num_queued_reqs, model=ready.step_model
    )
    watched.limits = {**watched.limits, **demo.settings(variant)}
    watched.run()
    return diagnose(watched.view())


@pytest.mark.parametrize(
    ("name", "variant", "bound", "control"),
    [
        ("seats", "8 slots", Bottleneck.SEQUENCES, "max_num_seqs"),
        ("seats", "16 slots", Bottleneck.SEQUENCES, "max_num_seqs"),
        ("seats", "64 slots", Bottleneck.NONE, None),
        ("kv-cliff", "24 slots", Bottleneck.KV_CACHE, "max_num_seqs"),
        ("kv-cliff", "15 slots", Bottleneck.SEQUENCES, "max_num_seqs"),
        ("bounded-queue", "unbounded", Bottleneck.SEQUENCES, "max_num_seqs"),
        ("static-and-continuous", "static", Bottleneck.BLOCKED_HEAD, "static_batching"),
        ("static-and-continuous", "continuous", Bottleneck.NONE, None),
        ("token-budget", "budget 512", Bottleneck.NONE, None),
        ("token-budget", "budget 8,192", Bottleneck.NONE, "long_prefill_token_threshold"),
    ],
)
def test_that_the_teaching_demos_are_diagnosed_as_they_are_told(
    name: str, variant: str, bound: Bottleneck, control: str | None
) -> None:
    found = _demo(name, variant)
    assert found.main is bound
    assert (found.change.control if found.change else None) == control


def test_that_what_a_queue_limit_refuses_in_a_demo_is_the_admission_limit() -> None:
    for variant in ("limit 48", "limit 32"):
        assert "R11" in {finding.rule for finding in _demo("bounded-queue", variant).findings}


def test_that_a_document_that_freezes_the_chats_of_a_demo_is_found_by_its_pauses() -> None:
    (finding,) = _demo("token-budget", "budget 8,192").findings
    assert finding.rule == "R21"
    assert "32 paused for up to 21" in str(finding.verdict)
