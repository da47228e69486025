"""Every latency series of a set of requests, in milliseconds; defined in docs/explanation/figures.md."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.results.figures.request_columns import Bools, RequestColumns
from workbench.results.objectives import Limits, Objectives
from workbench.results.percentiles import Distribution, Floats, distribution
from workbench.results.run_records import Outcome, has_token_counts

_MOST_UNKNOWN = 0.05
"""Of the completed streams: so few without known tokens don't move the others' ITL."""

Counts = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class LatencySeries:
    """Values of one series, those of which only a lower bound is known, and the requests behind them."""

    values: Floats
    censored: Floats
    requests: int | None = None

    def figures(self) -> Distribution:
        """Mean, percentiles and maximum."""
        return distribution(self.values, censored=self.censored, requests=self.requests)


def ttft(columns: RequestColumns, *, scale: float, ended: float) -> LatencySeries:
    """First token - due of every request that has a first token; the unanswered with what they had waited.

    `scale` turns wall into simulated seconds; `ended` is the wall time at which watching ended.
    """
    values = _known((columns.first_token - columns.due) * scale * 1000)
    still_open = (
        columns.of_outcome(Outcome.UNFINISHED) & np.isnan(columns.first_token) & (columns.due < ended)
    )
    return LatencySeries(values, (ended - columns.due[still_open]) * scale * 1000)


def e2e(columns: RequestColumns, *, scale: float, ended: float) -> LatencySeries:
    """Done - due of completed requests; those still open at the end with what they had taken."""
    completed = columns.of_outcome(Outcome.COMPLETED)
    still_open = columns.of_outcome(Outcome.UNFINISHED) & (columns.due < ended)
    values = _known((columns.done - columns.due)[completed] * scale * 1000)
    return LatencySeries(values, (ended - columns.due[still_open]) * scale * 1000)


def tpot(columns: RequestColumns, *, scale: float) -> LatencySeries:
    """(Last token - first token) / (tokens - 1) of completed requests with two tokens or more.

    Tokens that all came in one read have no times of their own, so their requests are left out.
    """
    timed = columns.last_token > columns.first_token
    chosen = columns.select(columns.of_outcome(Outcome.COMPLETED) & (columns.output_counted >= 2) & timed)
    per_token = (chosen.last_token - chosen.first_token) / (chosen.output_counted - 1)
    return _plain(per_token * scale * 1000)


def client_delay(columns: RequestColumns, *, scale: float) -> LatencySeries:
    """Sent - released: how late the load generator itself was."""
    return _plain((columns.sent - columns.released) * scale * 1000)


def admission_wait(columns: RequestColumns, *, scale: float) -> LatencySeries:
    """Released - due: the wait for a place under the cap on requests in flight."""
    return _plain((columns.released - columns.due) * scale * 1000)


def connect(columns: RequestColumns, *, scale: float) -> LatencySeries:
    """Time to open a connection, of requests that had to open one."""
    return _plain(columns.connect_ms * scale)


def event_gaps(columns: RequestColumns, *, scale: float) -> LatencySeries:
    """Raw gaps between token events, pooled over all requests."""
    gaps = np.frombuffer(b"".join(columns.gaps_ms), dtype="<f4").astype(np.float64)
    return LatencySeries(gaps * scale, np.empty(0), _streams(columns))


def token_gaps(columns: RequestColumns, *, scale: float) -> LatencySeries:
    """ITL pooled over tokens: the gap of an event with k tokens counts as k values of gap/k."""
    if not any(columns.gap_tokens):
        return event_gaps(columns, scale=scale)
    parts = gaps_of_requests(columns)
    values = np.concatenate(parts) * scale if parts else np.empty(0)
    return LatencySeries(values, np.empty(0), sum(1 for part in parts if part.size))


def gaps_of_requests(columns: RequestColumns) -> list[Floats]:
    """ITL values of each request, wall milliseconds; none of any where too many streams don't tell them.

    A stream whose events carry an unknown number of tokens is left out. The others can't stand for all where
    it is one of many: they would be those that bring one token at a time.
    """
    unknown, streams = unknown_streams(columns)
    if unknown > _MOST_UNKNOWN * streams:
        return [np.empty(0)] * len(columns)
    return [
        request_token_gaps(gaps, tokens)
        for gaps, tokens in zip(columns.gaps_ms, columns.gap_tokens, strict=True)
    ]


def unknown_streams(columns: RequestColumns) -> tuple[int, int]:
    """Return how many completed streams with gaps don't tell the tokens of their events, and of how many."""
    completed = columns.of_outcome(Outcome.COMPLETED)
    pairs = zip(columns.gaps_ms[completed], columns.gap_tokens[completed], strict=True)
    told = [has_token_counts(tokens) for gaps, tokens in pairs if gaps]
    return told.count(False), len(told)


def request_token_gaps(gaps_ms: bytes, gap_tokens: bytes) -> Floats:
    """ITL values of one request, wall milliseconds, one a token after the first event."""
    gaps = np.frombuffer(gaps_ms, dtype="<f4").astype(np.float64)
    return per_token(gaps, np.frombuffer(gap_tokens, dtype="<u2")) if gap_tokens else gaps


def per_token(gaps: Floats, tokens: Counts) -> Floats:
    """Spread each gap over its event's tokens; that of an event without any goes to the next with some."""
    if not tokens.all():
        with_tokens = np.flatnonzero(tokens)
        if not with_tokens.size:
            return np.empty(0)
        starts = np.concatenate([[0], with_tokens[:-1] + 1])
        gaps = np.add.reduceat(gaps[: with_tokens[-1] + 1], starts)
        tokens = tokens[with_tokens]
    return np.repeat(gaps / tokens, tokens)


def _streams(columns: RequestColumns) -> int:
    """Requests with at least one gap."""
    return sum(1 for gaps in columns.gaps_ms if gaps)


def _plain(values: Floats) -> LatencySeries:
    return LatencySeries(_known(values), np.empty(0))


def _known(values: Floats) -> Floats:
    return values[~np.isnan(values)]


# Accepted responses: completed, and every latency objective holds for that request.


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
    if not has_token_counts(gap_tokens):
        return float(np.frombuffer(gaps_ms, dtype="<f4").max())
    values = request_token_gaps(gaps_ms, gap_tokens)
    return float(np.quantile(values, 0.95)) if values.size else 0.0
