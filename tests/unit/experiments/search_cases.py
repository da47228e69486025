"""A search on made-up servers ends near the exhaustive best in a quarter of the runs.

The step model is hidden from the twin, which sees the requests as their client does. The proof has 50 cases,
and another 50 from a seed on:

    python -m tests.unit.experiments.search_cases 50
    python -m tests.unit.experiments.search_cases 50 1000
"""

import itertools
import json
import math
import random
import sys
from collections.abc import Mapping
from statistics import mean
from typing import NamedTuple

import msgspec

from workbench.advice import TriedValue, choose_run
from workbench.controls import Value
from workbench.engine import DEFAULT_PROFILE, SchedulerConfig
from workbench.engine.replay import PerRequestReplay, jobs_of
from workbench.experiments.run.search_twin import SearchTwin
from workbench.profiles import StepModel, load_profile
from workbench.results import Objectives, RequestRecord, RunFrame, RunSummary, summarize_run
from workbench.traces import Schedule, Trace, open_loop, synthetic_trace

VALUES = [1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384]
REQUESTS = 150
NAME = "max_num_seqs"
NOISE = 0.05
"""Steps take longer or shorter by chance."""


class Case(NamedTuple):
    """One made-up server with its load and limits."""

    trace: Trace
    schedule: Schedule
    objectives: Objectives
    config: SchedulerConfig
    model: StepModel
    baseline: int


class Found(NamedTuple):
    """The end of one search."""

    regret: float
    share: float
    """Runs of those of an exhaustive search."""


def make_case(seed: int) -> Case:
    """Draw a workload, limits of TTFT and ITL, and a server with 0.5 to 2 times the usual coefficients."""
    draw = random.Random(seed)
    prompt, output = draw.choice([100, 300, 800, 1500]), draw.choice([32, 64, 128, 200])
    usual = load_profile(DEFAULT_PROFILE).step_model
    model = StepModel(*(getattr(usual, name) * draw.uniform(0.5, 2) for name in "abcde"))
    baseline = draw.choice([2, 4, 8])

    def step_s(running: int) -> float:
        """Return the time of a step of a steady server with so many requests."""
        share = running / output
        return model.step_us(
            round(prompt * share), running, round(running * (prompt + output / 2)), prompt**2 / 2 * share
        ) / 1e6  # fmt: skip

    rate = 64 / step_s(64) / output * draw.uniform(1.2, 3)
    trace = synthetic_trace(prompt, output, n=REQUESTS, seed=seed)
    itl_ms = 1000 * step_s(draw.choice([8, 16, 32, 64, 128])) * draw.uniform(0.9, 1.3)
    return Case(
        trace,
        open_loop(trace, rate=rate, arrivals="poisson", seed=seed, requests=REQUESTS),
        Objectives(ttft_p95_ms=draw.choice([1000, 3000, 8000]), itl_p95_ms=itl_ms),
        SchedulerConfig(
            num_gpu_blocks=20_000, max_model_len=8192, max_num_seqs=baseline, enable_prefix_caching=False,
            async_scheduling=False,
        ),
        model,
        baseline,
    )  # fmt: skip


def measure(case: Case, value: int) -> tuple[list[RequestRecord], RunSummary, int]:
    """Run one value; return the requests, the figures and the most requests that ran at once."""
    config = msgspec.structs.replace(case.config, max_num_seqs=value)
    jobs = jobs_of(case.trace, case.schedule, config)
    replay = PerRequestReplay(jobs, config, case.model, step_noise=NOISE, seed=value)
    replay.run()
    records = replay.records()
    frame = RunFrame(length_s=case.schedule.length_s or 0.0)
    summary = summarize_run(records, frame, objectives=case.objectives, per_class=False)
    return records, summary, replay.tally.steps.running_max


def search(case: Case) -> Found | None:
    """Search one case; None if no value has an accepted request."""
    runs = {value: measure(case, value) for value in VALUES}
    best = max(summary.accepted_rps or 0.0 for _, summary, _ in runs.values())
    if not best:
        return None
    twin = SearchTwin(case.trace, lambda _: case.schedule, case.objectives)
    tried: list[TriedValue] = []
    value: Value | None = case.baseline
    while isinstance(value, int):
        records, summary, running = runs[value]
        twin.learn_requests(records, msgspec.structs.replace(case.config, max_num_seqs=value))
        tried.append(tried_value(case, value, summary, running))
        predicted = twin.predict(NAME, VALUES, [each.value for each in tried if each.value is not None])
        others = [other for other in VALUES if other != case.baseline]
        choice = choose_run(others, tried, predicted=predicted)
        value = choice.value
    found = choice.best.objective if choice.best else 0.0
    return Found(1 - (found or 0.0) / best, len(tried) / len(VALUES))


def tried_value(case: Case, value: int, summary: RunSummary, running: int) -> TriedValue:
    """Return what a search knows of a run."""
    objective, length = summary.accepted_rps or 0.0, case.schedule.length_s or 1.0
    missed = 1 - (summary.accepted_share or 0.0)
    return TriedValue(
        value=value,
        objective=objective,
        noise=math.sqrt(missed / max(1.0, objective * length)),
        most=len(case.schedule) / length,
        reached=running >= value,
    )


def score(cases: int, seed: int = 0) -> Mapping[str, float]:
    """Search so many cases, from a seed on; those in which no value has an accepted request don't count."""
    ends = (search(make_case(number)) for number in itertools.count(seed))
    found = list(itertools.islice((end for end in ends if end is not None), cases))
    return {
        "cases": len(found),
        "mean_regret": mean(end.regret for end in found),
        "within_2pct": mean(end.regret <= 0.02 for end in found),
        "share_of_runs": mean(end.share for end in found),
    }


if __name__ == "__main__":
    print(json.dumps(score(*map(int, sys.argv[1:]))))
