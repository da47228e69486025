"""R22: a queue at one replica beside free slots at another, on four engines behind routers good and bad."""

import heapq
import random
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from tests.unit.advice.test_diagnosis import bounds
from tests.unit.advice.test_diagnosis_of_engine_runs import STEP_MODEL, Watched
from workbench.advice import Bottleneck, Diagnosis, RunView, diagnose
from workbench.engine.replay import ReplayJob
from workbench.engine.scheduler import Request, SchedulerConfig
from workbench.profiles import StepModel
from workbench.results import Sample

SLOTS = 8
Work = Sequence[tuple[float, int, int]]
"""Due time, prompt and output tokens of each request."""
Router = Callable[[Work, random.Random], list[int]]
SLOW = StepModel(a=20_000, b=100, c=240, d=0.2, e=0.008)


def equal_work(dues: Sequence[float]) -> Work:
    return [(due, 300, 120) for due in dues]


def unequal_work(dues: Sequence[float]) -> Work:
    """One in four requests is ten times as long as the others."""
    return [(due, 300, 400 if index % 4 == 0 else 40) for index, due in enumerate(dues)]


def arrivals(chance: random.Random, rate: float, length_s: float) -> list[float]:
    dues, now = [], chance.expovariate(rate)
    while now < length_s:
        dues.append(now)
        now += chance.expovariate(rate)
    return dues


def in_turn(work: Work, chance: random.Random) -> list[int]:
    start = chance.randrange(4)
    return [(start + index) % 4 for index in range(len(work))]


def sticky(work: Work, chance: random.Random) -> list[int]:
    favorite = chance.randrange(4)
    return [favorite if chance.random() < 0.7 else chance.randrange(4) for _ in work]


def least_outstanding(work: Work, chance: random.Random) -> list[int]:
    """The replica with the fewest open requests, by the time that a request takes on a half-full engine."""
    open_until: list[list[float]] = [[], [], [], []]
    chosen = []
    for due, _, output in work:
        for each in open_until:
            while each and each[0] <= due:
                heapq.heappop(each)
        place = min(range(4), key=lambda index: (len(open_until[index]), chance.random()))
        heapq.heappush(open_until[place], due + 0.03 + output * 0.0063)
        chosen.append(place)
    return chosen


def seen(work: Work, places: Sequence[int], models: Sequence[StepModel], length_s: float) -> RunView:
    """What the samples of four engines show of the work on them."""
    config = SchedulerConfig(max_num_seqs=SLOTS, num_gpu_blocks=40_000, max_model_len=4096)
    samples: list[Sample] = []
    for place, model in enumerate(models):
        jobs = [
            ReplayJob(due_s=due, request=Request(f"r{place}-{index}", prompt, output))
            for index, (due, prompt, output) in enumerate(work)
            if places[index] == place
        ]
        engine = Watched(jobs, config, model=model)
        engine.run()
        samples += _until_the_end(engine.samples, f"replica{place}", length_s)
    samples.sort(key=lambda sample: sample.t)
    return RunView(samples=samples, limits={"max_num_seqs": SLOTS}, length_s=length_s)


def _until_the_end(samples: Sequence[Sample], engine: str, length_s: float) -> list[Sample]:
    """An engine without work is scraped too: its gauges are then 0, its counters stay."""
    last, found = samples[-1], list(samples)
    for tick in range(len(found), int(length_s * 4) + 1):
        found.append(msgspec.structs.replace(last, t=tick / 4, running=0.0, waiting=0.0, kv_usage=0.0))
    return [msgspec.structs.replace(sample, engine=engine) for sample in found]


def found_of(kind: str, seed: int, length_s: float = 12.0) -> Diagnosis:
    chance = random.Random(seed)
    models = [STEP_MODEL] * 4
    of, router, rate = ARMS[kind]
    if kind == "slow":
        models[chance.randrange(4)] = SLOW
    work = of(arrivals(chance, rate, length_s))
    return diagnose(seen(work, router(work, chance), models, length_s))


ARMS: dict[str, tuple[Callable[[Sequence[float]], Work], Router, float]] = {
    "unequal": (unequal_work, in_turn, 26.0),
    "sticky": (equal_work, sticky, 20.0),
    "slow": (equal_work, in_turn, 20.0),
    "good, unequal": (unequal_work, least_outstanding, 26.0),
    "good, equal": (equal_work, least_outstanding, 20.0),
}
"""Work, router and requests a second."""
CAUSES = {"unequal": "advice.uneven_work", "sticky": "advice.uneven_requests", "slow": "advice.uneven_speed"}


def assert_named(kind: str, found: Diagnosis) -> None:
    (finding,) = [each for each in found.findings if each.rule == "R22"]
    assert finding.verdict.kind == "advice.uneven_engines"
    assert finding.evidence[1].kind == CAUSES[kind], finding.evidence
    between = finding.evidence[2]
    assert between.kind == "advice.engine_imbalance"
    (waiting,) = [part for part in between.values["parts"] if part.kind == "advice.imbalance_waiting"]
    assert 1.3 < waiting.values["ratio"] <= 4
    assert found.main is Bottleneck.UNEVEN_ENGINES
    assert found.change is not None


@pytest.mark.parametrize("kind", CAUSES)
def test_that_a_bad_router_or_a_slow_replica_is_named_with_its_cause(kind: str) -> None:
    assert_named(kind, found_of(kind, 1))


@pytest.mark.parametrize("kind", ["good, equal", "good, unequal"])
def test_that_a_balanced_service_raises_no_alarm(kind: str) -> None:
    assert Bottleneck.UNEVEN_ENGINES not in bounds(found_of(kind, 1))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_that_twenty_of_twenty_are_named_and_twenty_good_ones_are_not(seed: int) -> None:
    kind = list(CAUSES)[seed % 3]
    assert_named(kind, found_of(kind, seed, 40.0))
    assert Bottleneck.UNEVEN_ENGINES not in bounds(found_of("good, equal", seed, 40.0))
    assert Bottleneck.UNEVEN_ENGINES not in bounds(found_of("good, unequal", seed, 40.0))


def engines(**gauges: Any) -> list[Sample]:
    """Two engines over 20 s; each gauge has a value for both."""
    return [
        Sample(t=tick / 4, engine=name, **{field: values[place] for field, values in gauges.items()})
        for tick in range(81)
        for place, name in enumerate(("a", "b"))
    ]


def test_that_queues_at_all_engines_are_the_sequence_limit() -> None:
    taken = engines(running=(8, 8), waiting=(5, 1), kv_usage=(0.3, 0.3))
    assert bounds(diagnose(RunView(samples=taken, limits={"max_num_seqs": 8}))) == {Bottleneck.SEQUENCES}


def test_that_a_full_pool_is_no_room() -> None:
    taken = engines(running=(8, 4), waiting=(5, 0), kv_usage=(0.3, 0.95))
    found = diagnose(RunView(samples=taken, limits={"max_num_seqs": 8}))
    assert Bottleneck.UNEVEN_ENGINES not in bounds(found)


def test_that_an_idle_engine_beside_a_queue_needs_no_known_limit() -> None:
    taken = engines(running=(8, 1), waiting=(5, 0), kv_usage=(0.3, 0.1))
    assert diagnose(RunView(samples=taken)).main is Bottleneck.UNEVEN_ENGINES
