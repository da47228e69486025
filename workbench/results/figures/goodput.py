"""Accepted responses: completed, and every latency objective holds for that request."""

import numpy as np

from workbench.results.figures.columns import Bools, RequestColumns
from workbench.results.figures.latencies import request_token_gaps
from workbench.results.objectives import Limits, Objectives
from workbench.results.records import Outcome, tells_tokens


def accepted(columns: RequestColumns, objectives: Objectives, *, scale: float) -> Bools:
    """Which requests are accepted, shape (n,); a class's own limits stand in place of the overall ones.

    Without latency objectives every completed request is accepted.
    """
    good = columns.of_outcome(Outcome.COMPLETED)
    for name in set(columns.cls):
        members = np.asarray(columns.cls == name, dtype=np.bool_)
        good[members] &= _within(columns.select(members), objectives.for_class(name), scale=scale)
    return good


def _within(columns: RequestColumns, limits: Limits, *, scale: float) -> Bools:
    """Where the request's own TTFT, E2E and p95 ITL are at most the limits."""
    good = np.ones(len(columns), dtype=np.bool_)
    if limits.ttft_p95_ms is not None:
        good &= (columns.first_token - columns.due) * scale * 1000 <= limits.ttft_p95_ms
    if limits.e2e_p95_ms is not None:
        good &= (columns.done - columns.due) * scale * 1000 <= limits.e2e_p95_ms
    if limits.itl_p95_ms is not None:
        good &= np.array(
            [
                _itl_p95(gaps, tokens) * scale <= limits.itl_p95_ms
                for gaps, tokens in zip(columns.gaps_ms, columns.gap_tokens, strict=True)
            ],
            dtype=np.bool_,
        )
    return good


def _itl_p95(gaps_ms: bytes, gap_tokens: bytes) -> float:
    """One request's p95 ITL, wall milliseconds; 0 where it has no gap to judge.

    Where the tokens of its events are unknown it is the longest gap, which no ITL of it exceeds.
    """
    if not tells_tokens(gap_tokens):
        return float(np.frombuffer(gaps_ms, dtype="<f4").max())
    values = request_token_gaps(gaps_ms, gap_tokens)
    return float(np.quantile(values, 0.95)) if values.size else 0.0
