"""Predict the rate at which a workload saturates a configuration, and the limit that it reaches first.

The step-time model gives it, in steady state: a step takes t = a + rate * t * s, with s the time that one
request adds over its life, so t = a / (1 - rate * s). The requests under way follow, and each limit is
reached at its own rate. Bursts, queueing and prefix hits shift it; the band holds the profile's error.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from workbench.advice.diagnosis import Bottleneck
from workbench.base import Message, Record, Refusal, message
from workbench.profiles import Profile, StepModel

_MARGIN = 0.25
"""Estimated shift of a rate by bursts and queueing, beyond the profile's own error."""


class Load(Record, frozen=True, kw_only=True):
    """A workload's means, in tokens a request."""

    input_tokens: float
    output_tokens: float
    cached_share: float = 0.0
    """Share of the prompt expected in the prefix cache."""


class Saturation(Record, frozen=True, kw_only=True):
    """The lowest of the rates at which a limit is reached."""

    rate_rps: float
    low_rps: float
    high_rps: float
    bottleneck: Bottleneck = msgspec.field(name="bound")
    rates: dict[str, float]
    """Rate at which each limit is reached, lowest first."""
    notes: list[Message]


def saturation(load: Load, profile: Profile, limits: Mapping[str, Any] | None = None) -> Saturation:
    """Predict where `load` saturates `profile` under `limits` (controls by name; else the profile's own).

    Raises:
        Refusal: a load without tokens, or a request larger than the pool.
    """
    if not (load.input_tokens > 0 and load.output_tokens > 0 and 0 <= load.cached_share < 1):
        raise Refusal("advice.impossible_load")
    chosen = dict(limits or {})
    sequences = _limit(chosen, "max_num_active_seqs", _limit(chosen, "max_num_seqs", profile.max_num_seqs))
    budget = _limit(chosen, "max_num_batched_tokens", profile.max_num_batched_tokens)
    blocks = _limit(chosen, "num_gpu_blocks_override", profile.num_gpu_blocks)
    pool = (blocks - 1) * profile.block_size
    held = load.input_tokens + load.output_tokens / 2
    if held > pool:
        raise Refusal("advice.request_above_pool", tokens=held, pool=pool)
    rates = _rates(load, profile.step_model, sequences=sequences, budget=budget, residents=pool / held)
    bottleneck, rate = min(rates.items(), key=lambda entry: entry[1])
    error = profile.known_error.tpot_pct / 100 if profile.known_error else 0.5
    low, high = rate * (1 - error) * (1 - _MARGIN), rate * (1 + error)
    ordered = {name.value: value for name, value in sorted(rates.items(), key=lambda entry: entry[1])}
    return Saturation(
        rate_rps=rate,
        low_rps=low,
        high_rps=high,
        bottleneck=bottleneck,
        rates=ordered,
        notes=_notes(bottleneck, rate, low, high, ordered, profile),
    )


def _limit(limits: Mapping[str, Any], name: str, default: float) -> float:
    value = limits.get(name)
    return float(value) if isinstance(value, (int, float)) else default


def _rates(
    load: Load, model: StepModel, *, sequences: float, budget: float, residents: float
) -> dict[Bottleneck, float]:
    """Return the requests per second at which each limit is reached."""
    a, b, c, d, e = (value / 1e6 for value in (model.a, model.b, model.c, model.d, model.e))
    prompt = load.input_tokens * (1 - load.cached_share)
    context = load.input_tokens + load.output_tokens / 2
    prefill = b * prompt + e * prompt * (load.input_tokens - prompt / 2)
    work = prefill + load.output_tokens * (c + d * context)
    # A full step: a + its prefill; each request's share of it also pays for the steps it decodes in.
    tokens = prompt + load.output_tokens
    return {
        Bottleneck.SEQUENCES: _resident_rate(sequences, load.output_tokens, a, work),
        Bottleneck.KV_CACHE: _resident_rate(residents, load.output_tokens, a, work),
        Bottleneck.BUDGET: budget / (a * tokens + budget * work) if a else 1 / work,
    }


def _resident_rate(count: float, output_tokens: float, a: float, work: float) -> float:
    """Return the rate with `count` requests under way: rate * output_tokens * t(rate) = count."""
    return count / (output_tokens * a + count * work)


def _notes(
    bottleneck: Bottleneck, rate: float, low: float, high: float, rates: Mapping[str, float], profile: Profile
) -> list[Message]:
    others = [
        message("advice.saturates_next", limit=Bottleneck(name).phrase, rate=value)
        for name, value in rates.items()
        if name != bottleneck.value
    ]
    notes = [
        message("advice.saturates", rate=rate, low=low, high=high, limit=bottleneck.phrase),
        message("advice.saturates_then", others=others),
        message("advice.predicted_from", profile=profile.name, source=profile.kind.replace("_", " ")),
    ]
    if profile.known_error is None:
        notes.append(message("advice.profile_untested"))
    return notes
