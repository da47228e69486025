"""Figures that can't be: beyond the card's own limits, out of order, or not adding up."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from workbench.advice.diagnosis import RunView
from workbench.advice.sizing.model import VALUE_BYTES, ModelShape
from workbench.advice.sizing.weights import Weights, stage_weights
from workbench.base import Record
from workbench.profiles import Card

_ORDER = ("p50", "p90", "p95", "p99", "max")
_DISTRIBUTIONS = ("ttft_ms", "itl_ms", "event_gap_ms", "tpot_ms", "e2e_ms", "client_delay_ms", "queue_ms")
_SHARES = ("error_rate", "rejected_rate", "kv_peak", "prefix_hit", "accepted_share")
_COUNTED_TWICE = 1.02
# Clients and server count the same tokens; the margin is for requests open at the edges of the window.


class Roofline(Record, frozen=True, kw_only=True):
    """What a model can't be quicker than on a card, whatever the software."""

    step_ms: float
    """Reading all weights once: no decoding step is shorter."""
    tokens_s: float
    """Prompt and output tokens per second at the peak rate of the card's arithmetic."""
    basis: str


def roofline(card: Card, shape: ModelShape, *, tp: int = 1, pp: int = 1) -> Roofline | None:
    """The limits of `tp` x `pp` such cards; None where the model's weights can't be counted.

    All weights count as read, though the input table is only looked into: no card reaches its peak bandwidth
    either, and the two about cancel out. Of a mixture of experts only the active ones count.
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


def implausible(view: RunView, roof: Roofline | None = None) -> list[str]:
    """One sentence for each figure that can't be right; empty: nothing found."""
    return [
        *_beyond_roof(view, roof),
        *_out_of_order(view.figures, ""),
        *_not_adding_up(view),
    ]


def _beyond_roof(view: RunView, roof: Roofline | None) -> list[str]:
    if roof is None:
        return []
    said = []
    step = view.figure("tpot_ms", "p50")
    if step is not None and 0 < step < roof.step_ms and not view.limits.get("speculative_config"):
        said.append(
            f"Impossible: {step:.2f} ms a token, but reading the weights once takes {roof.step_ms:.2f} ms"
            f" ({roof.basis}); fewer bits, another card or several tokens a step?"
        )
    output, prompt = view.figure("output_tok_s") or 0.0, view.figure("input_tok_s") or 0.0
    computed = output + prompt * (1 - (view.figure("prefix_hit") or 0.0))
    if computed > roof.tokens_s:
        most = f"{roof.tokens_s:,.0f} ({roof.basis})"
        said.append(f"Impossible: {computed:,.0f} tokens/s, but the card can compute {most}.")
    return said


def _out_of_order(figures: Mapping[str, Any], prefix: str) -> list[str]:
    said = []
    for name in _DISTRIBUTIONS:
        values = figures.get(name)
        if not isinstance(values, Mapping):
            continue
        known = [(key, float(values[key])) for key in _ORDER if isinstance(values.get(key), (int, float))]
        for (lower, small), (upper, large) in pairwise(known):
            if small > large * (1 + 1e-9):
                said.append(f"Impossible: {prefix}{name} {lower} {small:g} is above {upper} {large:g}.")
        if known and known[0][1] < 0:
            said.append(f"Impossible: {prefix}{name} {known[0][0]} is negative ({known[0][1]:g}).")
    for name in _SHARES:
        value = figures.get(name)
        if isinstance(value, (int, float)) and not -1e-9 <= value <= 1 + 1e-9:
            said.append(f"Impossible: {prefix}{name} {value:g} is not between 0 and 1.")
    classes = figures.get("classes")
    for name, inner in classes.items() if isinstance(classes, Mapping) else ():
        said += _out_of_order(inner, f"{name}: ")
    return said


def _not_adding_up(view: RunView) -> list[str]:
    said = []
    requests = view.figures.get("requests")
    if isinstance(requests, Mapping):
        ends = ("completed", "failed", "rejected", "timed_out", "cancelled", "unfinished")
        counts = [requests.get(name) for name in ends]
        total = requests.get("scheduled")
        known = [count for count in counts if isinstance(count, int)]
        if len(known) == len(ends) and isinstance(total, int) and sum(known) != total:
            said.append(f"Impossible: {total} requests scheduled, {sum(known)} outcomes.")
    received = int(np.nansum(view.requests.tokens))
    generated = _generated(view)
    if generated is not None and received > _COUNTED_TWICE * generated:
        said.append(f"Impossible: {received:,} tokens received, the server generated {generated:,.0f}.")
    return said


def _generated(view: RunView) -> float | None:
    """The server's count over all samples; None where it isn't known for all of the run.

    A server that was lost answered requests that no page of metrics told of any more.
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
