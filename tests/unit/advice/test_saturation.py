"""The saturation preview against the engine itself, replayed in virtual time."""

from typing import Any

import numpy as np
import pytest

from workbench.advice import Bottleneck
from workbench.advice.predicted_saturation import Load, saturation
from workbench.base import InputError
from workbench.engine.replay import Replay, ReplayJob
from workbench.engine.scheduler import Request, SchedulerConfig
from workbench.profiles import Profile, StepModel, load_profile

MODEL = StepModel(a=5000, b=25, c=60, d=0.05, e=0.002)


def _profile(**changes: Any) -> Profile:
    base = load_profile("h100_sxm/Llama-3.1-8B/tp1")
    fields = {name: getattr(base, name) for name in Profile.__struct_fields__}
    return Profile(**{**fields, "step_model": MODEL, **changes})


def _completed_rate(load: Load, profile: Profile, rate: float, count: int = 300) -> float:
    """Requests per second that the engine completes when far more are offered."""
    gaps = np.random.default_rng(3).exponential(1 / rate, count)
    shape = int(load.input_tokens), int(load.output_tokens)
    jobs = [
        ReplayJob(due_s=float(due), request=Request(str(i), *shape)) for i, due in enumerate(np.cumsum(gaps))
    ]
    config = SchedulerConfig(
        num_gpu_blocks=profile.num_gpu_blocks, max_model_len=profile.max_model_len,
        max_num_seqs=profile.max_num_seqs, max_num_batched_tokens=profile.max_num_batched_tokens,
    )  # fmt: skip
    return count / Replay(jobs, config, profile.step_model).run().virtual_s


@pytest.mark.parametrize(
    ("load", "changes", "bound"),
    [
        (Load(input_tokens=300, output_tokens=120), {"max_num_seqs": 8}, Bottleneck.SEQUENCES),
        (
            Load(input_tokens=300, output_tokens=600),
            {"num_gpu_blocks": 800, "max_model_len": 2048},
            Bottleneck.KV_CACHE,
        ),
        (Load(input_tokens=4000, output_tokens=20), {"max_num_batched_tokens": 512}, Bottleneck.BUDGET),
    ],
)
def test_that_the_engine_completes_what_was_foretold(
    load: Load, changes: dict[str, Any], bound: Bottleneck
) -> None:
    profile = _profile(**{"max_num_seqs": 256, **changes})
    said = saturation(load, profile)
    assert said.bottleneck is bound
    reached = _completed_rate(load, profile, rate=3 * said.rate_rps, count=150)
    assert said.low_rps <= reached <= said.high_rps


def test_that_limits_given_replace_the_profiles_own() -> None:
    load = Load(input_tokens=300, output_tokens=120)
    few, many = (saturation(load, _profile(), {"max_num_seqs": seats}).rate_rps for seats in (4, 64))
    assert few < many


def test_that_cached_prefixes_raise_the_rate() -> None:
    cold, warm = (
        saturation(Load(input_tokens=8000, output_tokens=50, cached_share=share), _profile()).rate_rps
        for share in (0.0, 0.9)
    )
    assert warm > 2 * cold


def test_that_a_request_larger_than_the_pool_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="one request holds 20,050 tokens, more than the KV pool's 12,784"):
        saturation(Load(input_tokens=20_000, output_tokens=100), _profile(num_gpu_blocks=800))


def test_that_a_load_without_tokens_is_refused() -> None:
    with pytest.raises(InputError, match="above 0"):
        saturation(Load(input_tokens=0, output_tokens=1), _profile())
