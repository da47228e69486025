"""Impossible figures: beyond the card's limits, out of order, or not adding up."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from workbench.advice.diagnosis import RunView
from workbench.advice.sizing.model import VALUE_BYTES, ModelShape
from workbench.advice.sizing.weights import Weights, stage_weights
from workbench.base import Message, Record, message
from workbench.profiles import Card

_ORDER = ("p50", "p90", "p95", "p99", "max")
_DISTRIBUTIONS = ("ttft_ms", "itl_ms", "event_gap_ms", "tpot_ms", "e2e_ms", "client_delay_ms", "queue_ms")
_SHARES = ("error_rate", "rejected_rate", "kv_peak", "prefix_hit", "accepted_share")
_COUNTED_TWICE = 1.02
"""Clients and server count the same tokens; the margin covers requests open at the window's edges."""


class Roofline(Record, frozen=True, kw_only=True):
    """The least time and the most tokens of a model on a card, whatever the software."""

    step_ms: float
    """Time to read all weights once; no decoding step is shorter."""
    tokens_s: float
    """Prompt and output tokens per second at the peak rate of the card's arithmetic."""
    basis: str


def roofline(card: Card, shape: ModelShape, *, tp: int = 1, pp: int = 1) -> Roofline | None:
    """Return the limits of `tp` x `pp` such cards; None if the model's weights can't be counted.

    All weights count as read. The input table isn't, but no card reaches its peak bandwidth either: the two
    errors about cancel. A mixture of experts counts its active experts only.
    """
    scheme = shape.quantisation
    if shape.uncounted or (scheme is not None and scheme.bits is None):
        return None
    stages = [_active(shape, stage) for stage in stage_weights(shape, tp=tp, pp=pp)]
    size = [_bytes(shape, stage) for stage in stages]
    step_s = sum(size) / (card.bandwidth_tb_s * 1e12)
    rate = card.bf16_tflops
    if scheme is not None and scheme.bits is not None and scheme.bits <= 8:
        rate = max(rate, card.fp8_tflops or 0.0)
    weights = sum(stage.quantised + stage.experts + stage.kept for stage in stages) * tp
    table = shape.vocabulary * shape.hidden
    operations = 2 * max(weights - table, 1.0)
    return Roofline(
        step_ms=step_s * 1000,
        tokens_s=rate * 1e12 * tp * pp / operations,
        basis=f"{card.title}: {card.bandwidth_tb_s:g} TB/s, {rate:g} TFLOPS",
    )


def _active(shape: ModelShape, stage: Weights) -> Weights:
    if shape.experts is None:
        return stage
    share = min(1.0, shape.experts.per_token / shape.experts.count)
    return Weights(quantised=stage.quantised, experts=stage.experts * share, kept=stage.kept)


def _bytes(shape: ModelShape, stage: Weights) -> float:
    value = VALUE_BYTES[shape.dtype]
    scheme = shape.quantisation
    if scheme is None or scheme.bits is None:
        return (stage.quantised + stage.experts + stage.kept) * value
    few = stage.experts if scheme.experts_only else stage.experts + stage.quantised
    rest = stage.kept + (stage.quantised if scheme.experts_only else 0.0)
    return few * scheme.bits / 8 + rest * value


def implausible(view: RunView, roof: Roofline | None = None) -> list[Message]:
    """Return one note for each impossible figure."""
    return [
        *_beyond_roof(view, roof),
        *_out_of_order(view.figures, ""),
        *_not_adding_up(view),
    ]


def _beyond_roof(view: RunView, roof: Roofline | None) -> list[Message]:
    if roof is None:
        return []
    notes: list[Message] = []
    step = view.figure("tpot_ms", "p50")
    if step is not None and 0 < step < roof.step_ms and not view.limits.get("speculative_config"):
        least = message("advice.faster_than_weights", step_ms=step, least_ms=roof.step_ms, basis=roof.basis)
        notes.append(least)
    output, prompt = view.figure("output_tok_s") or 0.0, view.figure("input_tok_s") or 0.0
    computed = output + prompt * (1 - (view.figure("prefix_hit") or 0.0))
    if computed > roof.tokens_s:
        most = message("advice.more_than_card", rate=computed, most=roof.tokens_s, basis=roof.basis)
        notes.append(most)
    return notes


def _out_of_order(figures: Mapping[str, Any], prefix: str) -> list[Message]:
    notes: list[Message] = []
    for name in _DISTRIBUTIONS:
        values = figures.get(name)
        if not isinstance(values, Mapping):
            continue
        known = [(key, float(values[key])) for key in _ORDER if isinstance(values.get(key), (int, float))]
        for (lower, small), (upper, large) in pairwise(known):
            if small > large * (1 + 1e-9):
                figure = f"{prefix}{name}"
                notes.append(
                    message(
                        "advice.out_of_order",
                        figure=figure,
                        lower=lower,
                        small=small,
                        upper=upper,
                        large=large,
                    )
                )
        if known and known[0][1] < 0:
            place, least = known[0]
            notes.append(message("advice.negative", figure=f"{prefix}{name}", which=place, value=least))
    for name in _SHARES:
        value = figures.get(name)
        if isinstance(value, (int, float)) and not -1e-9 <= value <= 1 + 1e-9:
            notes.append(message("advice.no_share", figure=f"{prefix}{name}", value=value))
    classes = figures.get("classes")
    for name, inner in classes.items() if isinstance(classes, Mapping) else ():
        notes += _out_of_order(inner, f"{name}: ")
    return notes


def _not_adding_up(view: RunView) -> list[Message]:
    notes: list[Message] = []
    requests = view.figures.get("requests")
    if isinstance(requests, Mapping):
        ends = ("completed", "failed", "rejected", "timed_out", "cancelled", "unfinished")
        counts = [requests.get(name) for name in ends]
        total = requests.get("scheduled")
        known = [count for count in counts if isinstance(count, int)]
        if len(known) == len(ends) and isinstance(total, int) and sum(known) != total:
            notes.append(message("advice.outcomes_differ", scheduled=total, outcomes=sum(known)))
    received = int(np.nansum(view.requests.tokens))
    generated = _generated(view)
    if generated is not None and received > _COUNTED_TWICE * generated:
        notes.append(message("advice.more_received", received=received, generated=generated))
    return notes


def _generated(view: RunView) -> float | None:
    """Return the tokens that the server generated; None if its count doesn't cover the run.

    A lost server answered requests that its last metrics don't include.
    """
    if view.server_lost:
        return None
    stamps = np.concatenate([view.requests.sent, view.requests.done])
    stamps = stamps[~np.isnan(stamps)]
    looked = [sample.t for sample in view.samples]
    if not looked or not stamps.size or min(looked) > stamps.min() or max(looked) < stamps.max():
        return None
    totals: dict[str, list[float]] = {}
    for sample in view.samples:
        if sample.generation_tokens is not None:
            totals.setdefault(sample.engine, []).append(sample.generation_tokens)
    if not totals or any(np.any(np.diff(counts) < 0) for counts in totals.values()):
        return None
    grown = sum(counts[-1] - counts[0] for counts in totals.values())
    return grown if grown > 0 else None
