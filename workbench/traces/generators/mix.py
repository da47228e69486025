"""Traces of one mix or of a blend."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from workbench.base import Place, Refusal
from workbench.traces.canonical_rows import TraceHeader
from workbench.traces.columns import Ints, Labels
from workbench.traces.generators.conversations import Turns, block_ids, draw_turns
from workbench.traces.generators.mix_parameters import BLOCK_TOKENS, MIXES, Mix
from workbench.traces.random_streams import stream
from workbench.traces.trace import Trace, in_order
from workbench.traces.trace_limits import MAX_IDS, MAX_ROWS, on_grain
from workbench.traces.transforms.join_traces import concatenated, with_separate_ids

_LEAST_RATE, _MOST_RATE = 1e-6, 1e6
"""Requests per second."""
_SPARE = 1.25
"""A stretch is this much longer than n / rate, and longer again until it has n turns."""


def make_mix(
    weights: str | Mapping[str, float] | Mapping[Mix, float], *, requests: int, rate: float, seed: int = 1
) -> Trace:
    """Generate a trace of one mix or of several by weight.

    `weights` is a name (`chat`), a text (`chat:3,agent:1`), or a mapping of names or mixes to weights. Every
    turn after the first has a think time: it waits for the end of the previous turn. The mean rate is exactly
    `rate` requests per second.

    Raises:
        Refusal: a mix is unknown, or an argument is out of range.
    """
    named = parse_mix(weights) if isinstance(weights, str) else weights
    shares = _shares([(mix, weight) for mix, weight in named.items()])
    if not len(shares) <= requests <= MAX_ROWS:
        raise Refusal(
            "base.out_of_range", Place(key="requests"), value=requests, minimum=len(shares), maximum=MAX_ROWS
        )
    if not _LEAST_RATE <= rate <= _MOST_RATE:
        raise Refusal(
            "traces.rate_range", Place(key="rate"), value=rate, minimum=_LEAST_RATE, maximum=_MOST_RATE
        )
    counts = _apportioned(requests, [share for _, share in shares])
    parts = [
        _one_mix(mix, count, rate * share, seed)
        for (mix, share), count in zip(shares, counts, strict=True)
        if count
    ]
    joined = in_order(concatenated(with_separate_ids(parts)) if len(parts) > 1 else parts[0])
    names = "+".join(mix.name for mix, _ in shares)
    header = TraceHeader(block_tokens=BLOCK_TOKENS, source=f"generated mix {names}").with_transform(
        "mix",
        weights={mix.name: share for mix, share in shares},
        requests=requests,
        rate=float(rate),
        seed=seed,
    )
    return replace(_at_mean_rate(joined, rate), header=header)


def parse_mix(text: str) -> dict[str, float]:
    """Read the weights of `chat` or `chat:3,agent:1`.

    Raises:
        Refusal: `text` has another form.
    """
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, colon, weight = part.strip().partition(":")
        try:
            weights[name] = float(weight) if colon else 1.0
        except ValueError as error:
            raise Refusal("traces.mix_form", Place(key="mix"), text=text) from error
    return weights


def _shares(weights: Iterable[tuple[str | Mix, float]]) -> list[tuple[Mix, float]]:
    mixes = []
    for mix, weight in weights:
        if isinstance(mix, str) and mix not in MIXES:
            raise Refusal("base.not_one_of", Place(key="mix"), value=mix, choices=list(MIXES))
        if not 0 < weight < float("inf"):
            raise Refusal("traces.mix_weight", Place(key="mix"), value=weight)
        mixes.append((MIXES[mix] if isinstance(mix, str) else mix, float(weight)))
    total = sum(weight for _, weight in mixes)
    return [(mix, weight / total) for mix, weight in mixes]


def _apportioned(total: int, shares: list[float]) -> list[int]:
    """Return whole numbers near `total * share` that add up to `total` (largest remainders first)."""
    exact = [total * share for share in shares]
    counts = [max(1, int(value)) for value in exact]
    order = sorted(range(len(shares)), key=lambda i: counts[i] - exact[i])
    for step in range(total - sum(counts)):
        counts[order[step % len(order)]] += 1
    while sum(counts) > total:
        counts[counts.index(max(counts))] -= 1
    return counts


def _one_mix(mix: Mix, requests: int, rate: float, seed: int) -> Trace:
    length_s = _SPARE * requests / rate
    while True:
        generator = stream(seed, f"mix {mix.name}")
        turns = draw_turns(mix, rate, length_s, generator)
        if len(turns.time_s) >= requests:
            break
        length_s *= _SPARE
    first = np.sort(np.argsort(turns.time_s, kind="stable")[:requests])
    turns = turns.select(first)
    if int((turns.prompt // BLOCK_TOKENS).sum()) + requests > MAX_IDS:
        raise Refusal(
            "traces.mix_needs_ids", Place(key="mix"), name=mix.name, requests=requests, maximum=MAX_IDS
        )
    offsets, flat = block_ids(mix, turns)
    trace = Trace(
        header=TraceHeader(block_tokens=BLOCK_TOKENS),
        timestamp_ms=on_grain(turns.time_s * 1000),
        input_length=turns.prompt,
        output_length=turns.output,
        classes=Labels.all(mix.name, requests),
        hash_offsets=offsets,
        hash_flat=flat.astype(np.uint64),
        sessions=Labels.of(f"{mix.name}-{number}" for number in turns.session.tolist()),
        turn=turns.turn,
        delay_ms=on_grain(turns.think_s * 1000),
        cancel_after_tokens=_cancellations(mix, turns, generator),
    )
    return in_order(trace)


def _cancellations(mix: Mix, turns: Turns, generator: np.random.Generator) -> Ints:
    """Cancel exactly the mix's share of the requests, each at a random token; -1 for the others."""
    output = turns.output
    chosen = generator.permutation(len(output))[: round(mix.cancelled * len(output))]
    at = np.full(len(output), -1)
    at[chosen] = np.minimum(1 + np.floor(generator.random(len(chosen)) * output[chosen]), output[chosen])
    return at


def _at_mean_rate(trace: Trace, rate: float) -> Trace:
    """Scale the arrivals to an exact mean rate; think times stay."""
    span_s = float(trace.timestamp_ms[-1]) / 1000
    if span_s <= 0:
        return trace
    return replace(trace, timestamp_ms=on_grain(trace.timestamp_ms * ((len(trace) - 1) / rate / span_s)))
