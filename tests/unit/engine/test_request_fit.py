"""The step model from requests alone: arrivals, lengths, first and last tokens."""

import importlib.util
import random
from pathlib import Path

import numpy as np
import pytest

from workbench.base import Refusal
from workbench.engine import (
    RequestFit,
    SchedulerConfig,
    TimedRequest,
    estimate_kv_blocks,
    fit_requests,
    replay_requests,
)
from workbench.engine.calibrate import step_noise
from workbench.engine.calibrate.robust_fit import fit_rows
from workbench.engine.calibrate.step_rows import Row
from workbench.engine.replay import PerRequestReplay, ReplayJob
from workbench.engine.scheduler import Request
from workbench.profiles import StepModel

BENCH = Path(__file__).parents[2] / "performance" / "bench_twin.py"
MEASURED = Path(__file__).parents[4] / "shared" / "data" / "measured"
TRUTH = StepModel(a=12000, b=40, c=30, d=0.1, e=0.001)


def config(**changes: object) -> SchedulerConfig:
    values: dict[str, object] = {
        "num_gpu_blocks": 4000,
        "max_model_len": 4096,
        "max_num_seqs": 32,
        "max_num_batched_tokens": 1024,
    }
    return SchedulerConfig(**{**values, **changes})  # type: ignore[arg-type]  # fields by name


def measured(settings: SchedulerConfig, count: int, rate: float) -> tuple[list[TimedRequest], list[float]]:
    """Requests as a server of the true model serves them, and their queue times."""
    draw, due, asked = random.Random(5), 0.0, []
    for _ in range(count):
        due += draw.expovariate(rate)
        asked.append(TimedRequest(due, draw.randrange(50, 900), draw.randrange(20, 120)))
    replay, made = replay_requests(asked, settings, TRUTH)
    lives = [replay.tally.lives[one] for one in made]
    stamped = [
        one._replace(first_s=life.first_token, last_s=life.last_token)
        for one, life in zip(asked, lives, strict=True)
    ]
    return stamped, [(life.queue_end or 0.0) - life.due for life in lives]


def rest_errors(
    requests: list[TimedRequest], known: int, settings: SchedulerConfig
) -> tuple[float, float, RequestFit]:
    """Calibrate on the first requests, predict the others."""
    partly = [one if n < known else one._replace(first_s=None, last_s=None) for n, one in enumerate(requests)]
    fit = fit_requests(partly, settings)
    replay, made = replay_requests(partly, settings, fit.model)
    lives = [replay.tally.lives[one] for one in made[known:]]
    rest = requests[known:]
    ttft = np.mean([(life.first_token or 0) - life.due for life in lives])
    true = np.mean([(one.first_s or 0) - one.due_s for one in rest])
    pace = np.mean([(life.last_token or 0) - (life.first_token or 0) for life in lives])
    paced = np.mean([(one.last_s or 0) - (one.first_s or 0) for one in rest])
    return float(ttft / true - 1), float(pace / paced - 1), fit


@pytest.mark.parametrize(
    "settings", [config(), config(num_gpu_blocks=420)], ids=["slots bind", "preemptions"]
)
def test_that_the_first_requests_predict_the_rest(settings: SchedulerConfig):
    requests, _ = measured(settings, 90, 12.0)
    ttft, tpot, fit = rest_errors(requests, 30, settings)
    assert abs(ttft) < 0.05
    assert abs(tpot) < 0.03
    assert fit.model.a == pytest.approx(TRUTH.a, rel=0.25)


def test_that_a_cache_of_unknown_size_is_found_from_the_requests_that_waited_for_it():
    tight, free = config(num_gpu_blocks=420), config()
    requests, waits = measured(tight, 90, 12.0)
    assert estimate_kv_blocks(requests, waits, 32, 16) == pytest.approx(420, rel=0.15)
    requests, waits = measured(free, 60, 4.0)
    assert estimate_kv_blocks(requests, waits, 32, 16) is None


def test_that_too_few_requests_are_refused():
    with pytest.raises(Refusal) as refused:
        fit_requests([TimedRequest(0.0, 10, 10, 1.0, 2.0)] * 3, config())
    assert refused.value.kind == "engine.too_few_timed_requests"


def test_that_single_steps_are_fitted_in_spite_of_pauses():
    draw, rows = random.Random(3), []
    for _ in range(400):
        decodes, prefill = draw.randrange(1, 60), draw.choice([0, 0, 0, 256, 700])
        contexts = decodes * draw.randrange(100, 2000)
        us = TRUTH.step_us(prefill, decodes, contexts, prefill * prefill / 2) * draw.gauss(1, 0.03)
        rows.append(
            Row(us * (8 if draw.random() < 0.03 else 1), 1, prefill, decodes, contexts, prefill**2 / 2)
        )
    fit = fit_rows(rows)
    assert fit.model.a == pytest.approx(TRUTH.a, rel=0.05)
    assert fit.model.b == pytest.approx(TRUTH.b, rel=0.1)
    assert sum(map(len, fit.ratios.values())) == 400


def test_that_the_noise_of_steps_is_seen_in_the_tokens_of_their_requests():
    jobs = [ReplayJob(0.0, Request(f"r{n}", 200, 120, arrival_time=0.0)) for n in range(4)]
    replay = PerRequestReplay(jobs, config(), TRUTH, step_noise=0.05, seed=1)
    replay.run()
    assert step_noise(replay.records()) == pytest.approx(0.05, rel=0.25)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["RTX4090_Llama-3.1-8B", "RTXPRO6000_Llama-3.1-8B"])
def test_that_the_rest_of_a_public_gpu_run_is_predicted(name: str):
    if not MEASURED.exists():
        pytest.skip("the measured runs are not in the project")
    spec = importlib.util.spec_from_file_location("bench_twin", BENCH)
    assert spec is not None
    assert spec.loader is not None
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    found = bench.twin(MEASURED / f"{name}.requests.jsonl", MEASURED / f"{name}.meta.json")
    assert abs(found["ttft_mean_error"]) <= 0.05
    assert abs(found["tpot_mean_error"]) <= 0.03
