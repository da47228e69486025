"""The ledger of a request's time: parts sum to its latency, and provoked causes are found."""

import io
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.advice.blame import Blame, RequestStamps, StepIndex, blame, build_step_index
from workbench.base import Refusal
from workbench.engine import what_if
from workbench.engine.scheduler import Request, Scheduler, SchedulerConfig
from workbench.engine.server.recorder import StepRecorder
from workbench.profiles import StepModel
from workbench.vllm_dialect import AnyStepLine, read_steps

MODEL = StepModel(a=5000, b=12, c=40, d=0.04, e=0.001)
WAY_S = 0.001
"""From the client to the engine, and back."""


@dataclass
class Job:
    """A request of a test's load."""

    due: float
    prompt: int
    output: int
    cls: str = "chat"
    late_s: float = 0.0
    held_s: float = 0.0
    front_s: float = WAY_S
    back_s: float = WAY_S
    done: float | None = field(default=None, init=False)

    @property
    def arrives(self) -> float:
        return self.due + self.held_s + self.late_s + self.front_s


def run(jobs: Sequence[Job], *, asynchronous: bool = False, **limits: int) -> Blame:
    """Play a load through the scheduler in virtual time, record it, and split its requests' time."""
    config = settings_of(asynchronous=asynchronous, **limits)
    index = index_of(jobs, config)
    stamps = [
        RequestStamps(
            id=f"r{number}",
            engine_id=f"r{number}",
            cls=job.cls,
            due=job.due,
            released=job.due + job.held_s,
            sent=job.due + job.held_s + job.late_s,
            done=job.done,
        )
        for number, job in enumerate(jobs)
    ]
    return blame(index, stamps, MODEL)


def settings_of(*, asynchronous: bool = False, **limits: int) -> SchedulerConfig:
    """The scheduler's settings of a test."""
    return SchedulerConfig(
        **{
            "num_gpu_blocks": 4000,
            "max_model_len": 32768,
            "max_num_seqs": 64,
            "max_num_batched_tokens": 2048,
            "block_size": 16,
            **limits,
        },
        enable_chunked_prefill=True,
        enable_prefix_caching=False,
        async_scheduling=asynchronous,
    )


def record(jobs: Sequence[Job], config: SchedulerConfig) -> list[AnyStepLine]:
    """The step record of a load."""
    return list(read_steps(raw_record(jobs, config).splitlines(), where="test"))


def raw_record(jobs: Sequence[Job], config: SchedulerConfig, first: int | None = None) -> bytes:
    """The file of the step record of a load; under the priority policy, job `first` goes first."""
    file = io.BytesIO()
    play(jobs, config, file, first)
    return file.getvalue()


def index_of(jobs: Sequence[Job], config: SchedulerConfig) -> StepIndex:
    """The step record's columns."""
    return build_step_index(raw_record(jobs, config).splitlines(keepends=True), 0.0, where="test")


def play(jobs: Sequence[Job], config: SchedulerConfig, file: io.BytesIO, first: int | None = None) -> None:
    """Run the engine's loop over the jobs; two steps are in flight under async scheduling."""
    scheduler, recorder = Scheduler(config), StepRecorder(file, config, 0.0)
    ahead = 2 if config.async_scheduling else 1
    coming = sorted(enumerate(jobs), key=lambda pair: pair[1].arrives)
    now, busy_until, in_flight = 0.0, 0.0, []
    while coming or in_flight or scheduler.has_requests():
        while coming and coming[0][1].arrives <= now:
            number, job = coming.pop(0)
            request = Request(
                f"r{number}", job.prompt, job.output, priority=int(number != first), arrival_time=job.arrives
            )
            scheduler.add_request(request)
            recorder.added(request, [0] * job.prompt, job.arrives)
        if len(in_flight) < ahead and scheduler.has_requests():
            step = scheduler.schedule()
            recorder.scheduled(step, scheduler, now)
            if step.num_scheduled_tokens:
                busy_until = max(now, busy_until) + MODEL.step_us(step.P, step.D, step.K, step.Q) / 1e6
            in_flight.append((step, busy_until))
            if len(in_flight) < ahead:
                continue
        if in_flight:
            step, ended = in_flight.pop(0)
            now = max(now, ended)
            update = scheduler.update_from_output(step)
            sampled = {
                request.request_id: 1
                for request, _ in step.num_scheduled_tokens
                if request not in step.prefill_chunk_reqs
            }
            recorder.updated(step, update, scheduler, now, sampled)
            for request, _ in update.finished_requests:
                job = jobs[int(request.request_id[1:])]
                job.done = now + job.back_s
        elif coming:
            now = coming[0][1].arrives


def largest(ledger: Blame, cls: str | None = None) -> str:
    """The cause that took most of the requests' time, own work left out."""
    own = {"prefill_compute", "decode_compute"}
    sums: dict[str, float] = {}
    for request in ledger.requests:
        if cls is None or request.cls == cls:
            for part in request.parts:
                if part.cause not in own:
                    sums[part.cause] = sums.get(part.cause, 0.0) + part.ms
    return max(sums, key=sums.__getitem__)


def chats(rng: random.Random, count: int, rate: float, **more: float) -> list[Job]:
    """Short requests at random times."""
    return [
        Job(rng.uniform(0, count / rate), rng.randint(50, 200), rng.randint(30, 60), **more)
        for _ in range(count)
    ]


def few_slots(rng: random.Random) -> Blame:
    return run(chats(rng, 60, 60), max_num_seqs=4)


def one_document(rng: random.Random) -> Blame:
    return run([*chats(rng, 40, 40), Job(0.2, 30_000, 5, "document")], max_num_batched_tokens=512)


def many_prompts(rng: random.Random) -> Blame:
    jobs = [Job(rng.uniform(0, 0.1), rng.randint(800, 1200), 5) for _ in range(50)]
    return run(jobs, max_num_batched_tokens=256)


def full_cache(rng: random.Random) -> Blame:
    jobs = [Job(rng.uniform(0, 0.5), rng.randint(1500, 1900), 20) for _ in range(30)]
    return run(jobs, num_gpu_blocks=260, max_model_len=4096)


def preemption_storm(rng: random.Random) -> Blame:
    jobs = [Job(rng.uniform(0, 0.05), rng.randint(20, 60), rng.randint(700, 900)) for _ in range(14)]
    return run(jobs, num_gpu_blocks=340, max_model_len=4096)


def slow_front_end(rng: random.Random) -> Blame:
    return run(chats(rng, 30, 15, front_s=0.5))


def late_client(rng: random.Random) -> Blame:
    return run(chats(rng, 30, 15, late_s=0.5))


PROVOKED: list[tuple[Callable[[random.Random], Blame], set[str], str | None]] = [
    (few_slots, {"sequence_limit"}, None),
    (one_document, {"others_prefill", "token_budget"}, "chat"),
    (many_prompts, {"token_budget"}, None),
    (full_cache, {"kv_blocks"}, None),
    (preemption_storm, {"preempted_wait"}, None),
    (slow_front_end, {"front_end"}, None),
    (late_client, {"client_late"}, None),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("provoke", "causes", "cls"), PROVOKED, ids=lambda each: getattr(each, "__name__", "")
)
def test_the_largest_part_names_the_provoked_cause(
    provoke: Callable[[random.Random], Blame], causes: set[str], cls: str | None, seed: int
) -> None:
    assert largest(provoke(random.Random(seed)), cls) in causes


def test_a_document_is_named_as_what_slows_the_chats() -> None:
    ledger = one_document(random.Random(1))
    slowed = [part for request in ledger.requests for part in request.parts if part.cause == "others_prefill"]
    worst = max(slowed, key=lambda part: part.ms)
    assert worst.culprits[0].cls == "document"
    assert ledger.matrix["chat"]["document"] > ledger.matrix["chat"]["chat"]


@pytest.mark.parametrize("part", ["front_s", "back_s", "late_s", "held_s"])
def test_a_delay_of_50_ms_raises_exactly_its_own_part(part: str) -> None:
    cause = {
        "front_s": "front_end",
        "back_s": "output_path",
        "late_s": "client_late",
        "held_s": "client_admission",
    }[part]
    # One request after the other, so that a delay changes nothing for others.
    before = run([Job(float(number), 200, 20) for number in range(5)])
    after = run(
        [
            Job(float(number), 200, 20, **{part: 0.05 + (WAY_S if part in {"front_s", "back_s"} else 0)})
            for number in range(5)
        ]
    )
    for cause_now in {*before.totals, *after.totals}:
        moved = after.totals.get(cause_now, 0.0) - before.totals.get(cause_now, 0.0)
        assert moved == pytest.approx(5 * 50 if cause_now == cause else 0.0, abs=0.5), cause_now


JOBS = st.lists(
    st.builds(Job, st.floats(0, 1), st.integers(1, 3000), st.integers(1, 120), st.sampled_from(["a", "b"])),
    min_size=1,
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(
    jobs=JOBS,
    slots=st.integers(1, 12),
    budget=st.integers(64, 2048),
    blocks=st.integers(230, 900),
    asynchronous=st.booleans(),
)
def test_the_parts_sum_to_the_latency_and_none_is_negative(
    jobs: list[Job], slots: int, budget: int, blocks: int, asynchronous: bool
) -> None:
    ledger = run(
        jobs,
        asynchronous=asynchronous,
        max_num_seqs=slots,
        max_num_batched_tokens=budget,
        num_gpu_blocks=blocks,
        max_model_len=3200,
    )
    for request in ledger.requests:
        assert request.e2e_ms is not None
        assert request.unexplained_ms == pytest.approx(0, abs=1e-6)
        assert all(part.ms > 0 for part in request.parts)
        for part in request.parts:
            assert sum(culprit.ms for culprit in part.culprits) <= part.ms + 1e-6


@pytest.mark.parametrize(
    ("before", "changes"),
    [
        ({"max_num_seqs": 4}, {"max_num_seqs": 8}),
        ({"max_num_batched_tokens": 128}, {"max_num_batched_tokens": 1024}),
        ({"num_gpu_blocks": 240, "max_model_len": 3000}, {"num_gpu_blocks": 1200}),
    ],
)
def test_a_replay_with_one_change_predicts_the_run_that_has_it(
    before: dict[str, int], changes: dict[str, int]
) -> None:
    rng = random.Random(5)
    load = [(rng.uniform(0, 2), rng.randint(100, 900), rng.randint(20, 80)) for _ in range(40)]
    lines = record([Job(*each) for each in load], settings_of(**before))
    result = what_if(lines, MODEL, changes, where="test")
    changed = [Job(*each) for each in load]
    record(changed, settings_of(**{**before, **changes}))
    measured = sum((job.done or 0) - job.back_s - job.arrives for job in changed) / len(changed) * 1000
    assert result.error == pytest.approx(0, abs=0.001)
    assert result.after.e2e_ms.mean == pytest.approx(measured, rel=0.001)


def test_a_replay_without_one_request_predicts_the_run_that_lacks_it() -> None:
    rng = random.Random(3)
    load = [*chats(rng, 20, 20), Job(0.2, 20_000, 5, "document")]
    result = what_if(record(load, settings_of()), MODEL, {}, without=["r20"], where="test")
    alone = load[:-1]
    record(alone, settings_of())
    for number, job in enumerate(alone):
        effect = result.requests[f"r{number}"]
        in_engine = 1000 * ((job.done or 0) - job.back_s - job.arrives)
        assert effect.error == pytest.approx(0, abs=0.001)
        assert effect.after_ms == pytest.approx(in_engine, rel=0.001, abs=0.01)
    assert result.requests["r20"].after_ms is None


def test_a_change_that_the_engine_does_not_know_is_refused() -> None:
    lines = record([Job(0.0, 10, 2)], settings_of())
    with pytest.raises(Refusal, match="dtype"):
        what_if(lines, MODEL, {"dtype": "float16"}, where="test")


@pytest.mark.parametrize("value", ["abc", "", -1, "32,max_num_batched_tokens=4096"])
def test_an_impossible_value_is_refused_by_its_name(value: int | str) -> None:
    lines = record([Job(0.0, 10, 2)], settings_of())
    with pytest.raises(Refusal) as refused:
        what_if(lines, MODEL, {"max_num_seqs": value}, where="test")
    assert refused.value.place.key == "max_num_seqs" or refused.value.kind.startswith("engine.")


def test_vllms_name_of_the_blocks_is_accepted() -> None:
    lines = record([Job(0.0, 10, 2)], settings_of())
    assert what_if(lines, MODEL, {"num_gpu_blocks_override": 4000}, where="test").after.completed == 1
