"""Transforms that select, copy or blend requests."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from workbench.base import Place, Refusal
from workbench.traces.arrivals.schedule import mean_rate
from workbench.traces.canonical_rows import TraceHeader
from workbench.traces.columns import Floats
from workbench.traces.length_classes import banded
from workbench.traces.random_streams import stream
from workbench.traces.trace import Trace, in_order, session_of_row
from workbench.traces.trace_limits import on_grain
from workbench.traces.transforms.join_traces import concatenated, with_block_tokens, with_separate_ids


def with_bands(trace: Trace, edges: Sequence[int]) -> Trace:
    """Class all rows by input length and drop their earlier classes.

    `edges` are the last numbers of prompt tokens of all bands but one.

    Raises:
        Refusal: the edges don't rise.
    """
    return replace(trace, classes=banded(trace.input_length, edges)).recorded("bands", edges=list(edges))


def window(trace: Trace, from_s: float, to_s: float) -> Trace:
    """Keep requests that arrive from `from_s` to before `to_s`, moved to begin at 0.

    Raises:
        Refusal: no request arrives within it.
    """
    times = trace.timestamp_ms / 1000
    kept = np.flatnonzero((times >= from_s) & (times < to_s))
    if not len(kept):
        raise Refusal(
            "traces.window_empty", Place(key="window"), begin=from_s, end=to_s, last=float(times[-1])
        )
    return in_order(trace.select(kept)).recorded("window", from_s=float(from_s), to_s=float(to_s))


PHASE_RATIO = 16.0
"""Prompt tokens per output token that separate chat (Azure conv: 5.5) from documents and code (20 to 73)."""


def only_phase(trace: Trace, phase: str, *, ratio: float = PHASE_RATIO) -> Trace:
    """Keep only the prefill-heavy or only the decode-heavy requests.

    A request is prefill-heavy if its prompt has at least `ratio` times as many tokens as its output.

    Raises:
        Refusal: the phase is unknown, or no request has it.
    """
    if phase not in {"prefill", "decode"}:
        raise Refusal("base.not_one_of", Place(key="phase"), value=phase, choices=["prefill", "decode"])
    heavy = trace.input_length >= ratio * trace.output_length
    kept = np.flatnonzero(heavy if phase == "prefill" else ~heavy)
    if not len(kept):
        raise Refusal("traces.phase_empty", Place(key="phase"), phase=phase, ratio=ratio)
    return in_order(trace.select(kept)).recorded("phase", phase=phase, ratio=float(ratio))


def sample(trace: Trace, share: float, *, seed: int = 1) -> Trace:
    """Keep a random `share` of the sessions, whole (of the requests if there are no sessions); times stay.

    Raises:
        Refusal: the share is outside 0 to 1.
    """
    if not 0 < share <= 1:
        raise Refusal("traces.not_a_share", Place(key="sample"), value=share)
    unit = session_of_row(trace)
    units = int(unit.max()) + 1
    chosen = stream(seed, "sample").permutation(units)[: max(1, round(share * units))]
    kept = np.flatnonzero(np.isin(unit, chosen))
    return in_order(trace.select(kept)).recorded("sample", share=float(share), seed=seed)


def replicate(
    trace: Trace, copies: int, *, overlay: bool = False, same_prefixes: bool = False, seed: int = 1
) -> Trace:
    """Repeat the trace one after another, or overlaid at random offsets (more users at a higher rate).

    Each copy has its own sessions and prefixes, unless `same_prefixes`: copies of equal prompts would hit the
    prefix cache more than real traffic does.

    Raises:
        Refusal: fewer than two copies, or more rows than a trace may hold.
    """
    if not 2 <= copies <= 10_000:
        raise Refusal("base.out_of_range", Place(key="replicate"), value=copies, minimum=2, maximum=10_000)
    cycle_ms = 1000 * len(trace) / mean_rate(trace)
    starts = stream(seed, "replicate").random(copies) * cycle_ms if overlay else np.arange(copies) * cycle_ms
    parts = [_shifted(trace, float(start), cycle_ms if overlay else None) for start in starts]
    joined = concatenated(with_separate_ids(parts, share_ids=same_prefixes))
    how = {"copies": copies, "overlay": overlay, "same_prefixes": same_prefixes, "seed": seed}
    return replace(in_order(joined), header=trace.header).recorded("replicate", **how)


def _shifted(trace: Trace, by_ms: float, wrap_ms: float | None) -> Trace:
    times: Floats = trace.timestamp_ms + by_ms
    return replace(trace, timestamp_ms=on_grain(times if wrap_ms is None else times % wrap_ms))


def blend(traces: Sequence[Trace], weights: Sequence[float], *, rate: float | None = None) -> Trace:
    """Blend several traces, each scaled so that its share of the requests is its weight.

    `rate` None: the sum of the traces' own mean rates. The blend ends when the first trace runs out. Prefixes
    and sessions of different traces stay distinct.

    Raises:
        Refusal: fewer than two traces, weights that aren't above 0, or block sizes that can't be
            reconciled.
    """
    if len(traces) < 2 or len(traces) != len(weights):
        raise Refusal("traces.blend_form", Place(key="blend"))
    wrong = next((weight for weight in weights if not 0 < weight < float("inf")), None)
    if wrong is not None:
        raise Refusal("traces.not_above_0", Place(key="blend"), value=wrong)
    total = rate or sum(mean_rate(trace) for trace in traces)
    rates = [total * weight / sum(weights) for weight in weights]
    lasting_s = min(len(trace) / part for trace, part in zip(traces, rates, strict=True))
    block = min(trace.header.block_tokens for trace in traces)
    parts = [
        with_block_tokens(_cut(trace, mean_rate(trace) / part, lasting_s), block)
        for trace, part in zip(traces, rates, strict=True)
    ]
    joined = in_order(concatenated(with_separate_ids(parts)))
    return replace(joined, header=_blend_header(traces, weights, block))


def _cut(trace: Trace, factor: float, lasting_s: float) -> Trace:
    times = on_grain(trace.timestamp_ms * factor)
    delay = None if trace.delay_ms is None else trace.delay_ms * factor
    scaled = replace(trace, timestamp_ms=times, delay_ms=delay)
    return scaled.select(np.flatnonzero(times < lasting_s * 1000))


def _blend_header(traces: Sequence[Trace], weights: Sequence[float], block: int) -> TraceHeader:
    parts = [
        {"source": trace.header.source, "weight": float(weight), "transforms": list(trace.header.transforms)}
        for trace, weight in zip(traces, weights, strict=True)
    ]
    # The rate scaling of each part stays inside `parts`: it doesn't apply to the blend's times.
    source = "blend of " + " and ".join(trace.header.source for trace in traces)
    return TraceHeader(source=source, block_tokens=block).with_transform("blend", parts=parts)
