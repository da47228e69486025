"""How often the ledger is right over many seeds, and how near its charges are to what undoing them saves."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec
import numpy as np
import pytest

from tests.unit.advice.test_blame import WAY_S, Job, chats, largest, raw_record, run, settings_of
from workbench.advice.blame import Blame

SEEDS = range(20)


@dataclass(frozen=True)
class Provoked:
    """A load that provokes one cause."""

    jobs: list[Job]
    limits: dict[str, int]
    causes: set[str]
    """What the largest part must name."""
    culprit: str | None = None
    """The class that causes it."""
    victim: str | None = None
    """The class that suffers; None: all."""
    undo: str = "alone"
    """alone: one request gets what it lacks. absent: the culprits are left out. Else a job's field."""


def few_slots(rng: random.Random) -> Provoked:
    long = [
        Job(rng.uniform(0, 0.2), rng.randint(50, 200), rng.randint(1500, 2500), "batch") for _ in range(3)
    ]
    short = [Job(rng.uniform(0.3, 2.3), rng.randint(50, 200), rng.randint(30, 60)) for _ in range(40)]
    return Provoked([*long, *short], {"max_num_seqs": 4}, {"sequence_limit"}, "batch", "chat")


def one_document(rng: random.Random) -> Provoked:
    jobs = [*chats(rng, 40, 40), Job(0.2, 30_000, 5, "document")]
    causes = {"others_prefill", "token_budget"}
    return Provoked(jobs, {"max_num_batched_tokens": 512}, causes, "document", "chat", "absent")


def many_prompts(rng: random.Random) -> Provoked:
    jobs = [Job(rng.uniform(0, 0.1), rng.randint(800, 1200), 5, "prompt") for _ in range(50)]
    return Provoked(jobs, {"max_num_batched_tokens": 256}, {"token_budget"}, "prompt")


def full_cache(rng: random.Random) -> Provoked:
    jobs = [Job(rng.uniform(0, 0.5), rng.randint(1500, 1900), 20, "long") for _ in range(30)]
    return Provoked(jobs, {"num_gpu_blocks": 260, "max_model_len": 4096}, {"kv_blocks"}, "long")


def preemption_storm(rng: random.Random) -> Provoked:
    jobs = [
        Job(rng.uniform(0, 0.05), rng.randint(20, 60), rng.randint(700, 900), "writer") for _ in range(14)
    ]
    limits = {"num_gpu_blocks": 340, "max_model_len": 4096}
    return Provoked(jobs, limits, {"preempted_wait", "recompute"}, "writer")


def blocked_head(rng: random.Random) -> Provoked:
    batch = [
        Job(rng.uniform(0, 0.05), rng.randint(900, 1100), rng.randint(300, 400), "batch") for _ in range(5)
    ]
    short = [Job(rng.uniform(0.35, 1.0), rng.randint(50, 150), rng.randint(20, 40)) for _ in range(20)]
    jobs = [*batch, Job(0.3, rng.randint(5200, 5600), 5, "document"), *short]
    limits = {"num_gpu_blocks": 600, "max_model_len": 8192}
    return Provoked(jobs, limits, {"blocked_head"}, "document", "chat", "absent")


def slow_front_end(rng: random.Random) -> Provoked:
    return Provoked(chats(rng, 30, 15, front_s=0.5), {}, {"front_end"}, undo="front_s")


def late_client(rng: random.Random) -> Provoked:
    return Provoked(chats(rng, 30, 15, late_s=0.5), {}, {"client_late"}, undo="late_s")


CAUSES = [
    few_slots,
    one_document,
    many_prompts,
    full_cache,
    preemption_storm,
    blocked_head,
    slow_front_end,
    late_client,
]


def victims(load: Provoked) -> list[int]:
    """The requests that suffer."""
    return [place for place, job in enumerate(load.jobs) if load.victim in {None, job.cls}]


def worst_class(load: Provoked, ledger: Blame) -> str | None:
    """The class that caused most of the provoked causes."""
    lost: dict[str, float] = {}
    for place in victims(load):
        for part in ledger.requests[place].parts:
            for culprit in part.culprits if part.cause in load.causes else ():
                lost[culprit.cls] = lost.get(culprit.cls, 0.0) + culprit.ms
    return max(lost, key=lost.__getitem__, default=None)


@pytest.mark.parametrize("provoke", CAUSES, ids=lambda each: each.__name__)
def test_a_provoked_cause_and_its_culprit_are_named(provoke: Callable[[random.Random], Provoked]) -> None:
    load = provoke(random.Random(0))
    ledger = run(load.jobs, **load.limits)
    assert largest(ledger, load.victim) in load.causes
    assert worst_class(load, ledger) == load.culprit


@pytest.mark.slow
def test_the_cause_and_its_culprit_are_right_in_95_of_100() -> None:
    named, blamed, count = 0, 0, 0
    for provoke in CAUSES:
        for seed in SEEDS:
            load = provoke(random.Random(seed))
            ledger = run(load.jobs, **load.limits)
            named += largest(ledger, load.victim) in load.causes
            blamed += worst_class(load, ledger) == load.culprit
            count += 1
    assert named / count >= 0.95
    assert blamed / count >= 0.95


@pytest.mark.slow
def test_a_charge_is_near_what_undoing_its_cause_saves() -> None:
    """A limit is undone for one request, since requests that all get more slow each other down."""
    errors = []
    for provoke in CAUSES:
        own = [error for seed in SEEDS for error in errors_of(provoke(random.Random(seed)))]
        assert np.median(own) <= 0.25, provoke.__name__
        errors += own
    assert np.median(errors) <= 0.10
    assert np.quantile(errors, 0.9) <= 0.25


def errors_of(load: Provoked) -> list[float]:
    """Relative errors of the charges against a separate run with the cause undone."""
    ledger = run(load.jobs, **load.limits)
    if load.undo == "alone":
        charged = {place: charge(ledger, place, load.causes) for place in victims(load)}
        ordered = sorted(charged, key=charged.__getitem__)
        chosen = (ordered[-1], ordered[3 * len(ordered) // 4], ordered[len(ordered) // 2])
        return [abs(charged[place] / saved_alone(load, place) - 1) for place in chosen]
    jobs = [again(job) for job in load.jobs if load.undo != "absent" or job.cls != load.culprit]
    if load.undo != "absent":
        usual = WAY_S if load.undo == "front_s" else 0.0
        jobs = [replace(job, **{load.undo: usual}) for job in jobs]
    raw_record(jobs, settings_of(**load.limits))
    kept = [place for place, job in enumerate(load.jobs) if load.undo != "absent" or job.cls != load.culprit]
    after = {place: latency(job) for place, job in zip(kept, jobs, strict=True)}
    places = [place for place in victims(load) if place in after]
    saved = sum(latency(load.jobs[place]) - after[place] for place in places)
    if load.undo == "absent":
        own = sum(by_class(ledger, place, load.culprit) for place in places)
    else:
        own = sum(charge(ledger, place, load.causes) for place in places)
    return [abs(own / saved - 1)]


def again(job: Job) -> Job:
    """The same request, not yet played."""
    return replace(job)


def latency(job: Job) -> float:
    """Milliseconds from due to done."""
    assert job.done is not None
    return 1000 * (job.done - job.due)


def charge(ledger: Blame, place: int, causes: set[str]) -> float:
    """Milliseconds of a request that the ledger charges to causes."""
    return sum(part.ms for part in ledger.requests[place].parts if part.cause in causes)


def by_class(ledger: Blame, place: int, cls: str | None) -> float:
    """Milliseconds of a request that a class caused."""
    parts = ledger.requests[place].parts
    return sum(culprit.ms for part in parts for culprit in part.culprits if culprit.cls == cls)


def saved_alone(load: Provoked, place: int) -> float:
    """What one request saves if it goes first and has a slot, budget and blocks of its own."""
    jobs = [again(job) for job in load.jobs]
    blocks = -(-(jobs[place].prompt + jobs[place].output) // 16) + 1
    usual = settings_of(**load.limits)
    more = {
        "max_num_seqs": usual.max_num_seqs + 1,
        "num_gpu_blocks": usual.num_gpu_blocks + blocks,
        "max_num_batched_tokens": usual.max_num_batched_tokens
        + (jobs[place].prompt if "token_budget" in load.causes else 1),
    }
    config = msgspec.structs.replace(settings_of(**{**load.limits, **more}), policy="priority")
    raw_record(jobs, config, first=place)
    return latency(load.jobs[place]) - latency(jobs[place])
