"""Every latency series of a set of requests, in milliseconds; defined in docs/explanation/figures.md."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.results.figures.request_columns import Bools, RequestColumns
from workbench.results.objectives import Limits, Objectives
from workbench.results.percentiles import Distribution, Floats, distribution
from workbench.results.run_records import Outcome, has_token_counts

_MOST_UNKNOWN = 0.05
"""Share of completed streams without known tokens that doesn't change the others' ITL."""

Counts = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class LatencySeries:
    """The values of one series, the lower bounds of unfinished ones, and the requests behind them."""

    values: Floats
    censored: Floats
    requests: int | None = None

    def figures(self) -> Distribution:
        """Return mean, percentiles and maximum."""
        return distribution(self.values, censored=self.censored, requests=self.requests)


def ttft(columns: RequestColumns, *, scale: float, ended: float) -> LatencySeries:
    """Return first token - due of every request that has one; the unanswered with the time they waited.

    `scale` converts wall to simulated seconds; `ended` is the wall time of the end of watching.
    """
    values = _known((columns.first_token - columns.due) * scale * 1000)
    still_open = (
        columns.of_outcome(Outcome.UNFINISHED) & np.isnan(columns.first_token) & (columns.due < ended)
    )
    return LatencySeries(values, (ended - columns.due[still_open]) * scale * 1000)


def e2e(columns: RequestColumns, *, scale: float, ended: float) -> LatencySeries:
    """Return done - due of completed requests; open ones with the time until the end."""
    completed = columns.of_outcome(Outcome.COMPLETED)
    still_open = columns.of_outcome(Outcome.UNFINISHED) & (columns.due < ended)
    values = _known((columns.done - columns.due)[completed] * scale * 1000)
    return LatencySeries(values, (ended - columns.due[still_open]) * scale * 1000)


def tpot(columns: RequestColumns, *, scale: float) -> LatencySeries:
    """Return (last token - first token) / (tokens - 1) of completed requests with two tokens or more.

    Requests whose tokens all came in one read are left out: the tokens have no times of their own.
    """
    timed = columns.last_token > columns.first_token
    chosen = columns.select(columns.of_outcome(Outcome.COMPLETED) & (columns.output_counted >= 2) & timed)
    per_token = (chosen.last_token - chosen.first_token) / (chosen.output_counted - 1)
    return _plain(per_token * scale * 1000)


def client_delay(columns: RequestColumns, *, scale: float) -> LatencySeries:
    """Return sent - released: the delay of the load generator itself."""
    return _plain((columns.sent - columns.released) * scale * 1000)


def admission_wait(columns: RequestColumns, *, scale: float) -> LatencySeries:
    """Return released - due: the wait for a place under the cap on requests in flight."""
    return _plain((columns.released - columns.due) * scale * 1000)


def connect(columns: RequestColumns, *, scale: float) -> LatencySeries:
    """Return the time to open a connection, of requests that opened one."""
    return _plain(columns.connect_ms * scale)


def event_gaps(columns: RequestColumns, *, scale: float) -> LatencySeries:
    """Return the raw gaps between token events, pooled over all requests."""
    gaps = np.frombuffer(b"".join(columns.gaps_ms), dtype="<f4").astype(np.float64)
    return LatencySeries(gaps * scale, np.empty(0), _streams(columns))


def token_gaps(columns: RequestColumns, *, scale: float) -> LatencySeries:
    """Return the ITL pooled over tokens: the gap of an event with k tokens counts as k values of gap/k."""
    if not any(columns.gap_tokens):
        return event_gaps(columns, scale=scale)
    parts = gaps_of_requests(columns)
    values = np.concatenate(parts) * scale if parts else np.empty(0)
    return LatencySeries(values, np.empty(0), sum(1 for part in parts if part.size))


def gaps_of_requests(columns: RequestColumns) -> list[Floats]:
    """Return the ITL values of each request, wall milliseconds; none at all if too many streams are unknown.

    A stream whose events carry an unknown number of tokens is left out. If there are many of them, the others
    are not representative: they are the streams of one token an event.
    """
    unknown, streams = unknown_streams(columns)
    if unknown > _MOST_UNKNOWN * streams:
        return [np.empty(0)] * len(columns)
    return [
        request_token_gaps(gaps, tokens)
        for gaps, tokens in zip(columns.gaps_ms, columns.gap_tokens, strict=True)
    ]


def unknown_streams(columns: RequestColumns) -> tuple[int, int]:
    """Return the number of completed streams with unknown tokens an event, and of all with gaps."""
    completed = columns.of_outcome(Outcome.COMPLETED)
    pairs = zip(columns.gaps_ms[completed], columns.gap_tokens[completed], strict=True)
    known = [has_token_counts(tokens) for gaps, tokens in pairs if gaps]
    return known.count(False), len(known)


def request_token_gaps(gaps_ms: bytes, gap_tokens: bytes) -> Floats:
    """Return the ITL values of one request, wall milliseconds, one for each token after the first event."""
    gaps = np.frombuffer(gaps_ms, dtype="<f4").astype(np.float64)
    return per_token(gaps, np.frombuffer(gap_tokens, dtype="<u2")) if gap_tokens else gaps


def per_token(gaps: Floats, tokens: Counts) -> Floats:
    """Spread each gap over its event's tokens; an event without tokens adds its gap to the next one."""
    if not tokens.all():
        with_tokens = np.flatnonzero(tokens)
        if not with_tokens.size:
            return np.empty(0)
        starts = np.concatenate([[0], with_tokens[:-1] + 1])
        gaps = np.add.reduceat(gaps[: with_tokens[-1] + 1], starts)
        tokens = tokens[with_tokens]
    return np.repeat(gaps / tokens, tokens)


def _streams(columns: RequestColumns) -> int:
    """Return the number of requests with at least one gap."""
    return sum(1 for gaps in columns.gaps_ms if gaps)


def _plain(values: Floats) -> LatencySeries:
    return LatencySeries(_known(values), np.empty(0))


def _known(values: Floats) -> Floats:
    return values[~np.isnan(values)]


# Accepted responses: completed, and every latency objective holds for that request.


def accepted(columns: RequestColumns, objectives: Objectives, *, scale: float) -> Bools:
    """Return which requests are accepted, shape (n,); a class's own limits replace the overall ones.

    Without latency objectives every completed request is accepted.
    """
    return columns.of_outcome(Outcome.COMPLETED) & (limit_shares(columns, objectives, scale=scale) <= 1)


def limit_shares(columns: RequestColumns, objectives: Objectives, *, scale: float) -> Floats:
    """Return each request's latency as a share of its limit, the largest of all, shape (n,)."""
    shares = np.zeros(len(columns))
    for name in set(columns.cls):
        members = np.asarray(columns.cls == name, dtype=np.bool_)
        shares[members] = _shares(columns.select(members), objectives.for_class(name), scale=scale)
    return shares


def _shares(columns: RequestColumns, limits: Limits, *, scale: float) -> Floats:
    found = [np.zeros(len(columns))]
    if limits.ttft_p95_ms is not None:
        found.append((columns.first_token - columns.due) * scale * 1000 / limits.ttft_p95_ms)
    if limits.e2e_p95_ms is not None:
        found.append((columns.done - columns.due) * scale * 1000 / limits.e2e_p95_ms)
    if limits.itl_p95_ms is not None:
        pairs = zip(columns.gaps_ms, columns.gap_tokens, strict=True)
        itl = [_itl_p95(gaps, tokens) for gaps, tokens in pairs]
        found.append(np.array(itl, dtype=np.float64) * scale / limits.itl_p95_ms)
    return np.asarray(np.max(found, axis=0))


def _itl_p95(gaps_ms: bytes, gap_tokens: bytes) -> float:
    """Return one request's p95 ITL, wall milliseconds; 0 without any gap.

    With unknown tokens it is the longest gap, which is an upper bound of the ITL.
    """
    if not has_token_counts(gap_tokens):
        return float(np.frombuffer(gaps_ms, dtype="<f4").max())
    values = request_token_gaps(gaps_ms, gap_tokens)
    return float(np.quantile(values, 0.95)) if values.size else 0.0
