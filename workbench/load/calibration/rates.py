"""The rates of a calibration: when each is tried, what was found at each, and which of them held."""

import itertools
import math
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from workbench.results.percentiles import percentile, sample_floor
from workbench.results.run_records import RequestRecord

TOKENS_A_REQUEST = 64
_TOKENS_AT_FIRST = 16
"""At the lowest rate, which is the floor's: so short that seconds bring enough requests for a tail."""
MOST_ERROR_MS = 5.0
"""Where the error of TTFT passes this at its 99th percentile, the client is at its limit."""
_ANSWERED = 0.9
"""Share of a rate's requests that must be answered."""
_REQUESTS = math.ceil(sample_floor(0.99) / _ANSWERED)
"""At each rate, at least: a rate that holds has enough of them for its p99."""
_SERVER_LATE_MS = 5.0
"""Where the null server is itself later than this, an error may be its own doing."""


class Truth(msgspec.Struct, frozen=True):
    """What the null server says of one request; seconds of its own clock, None: not yet."""

    id: str
    request: float
    late: float
    first: float | None = None
    last: float | None = None

    @property
    def whole(self) -> bool:
        """Whether it was answered to its end."""
        return self.first is not None and self.last is not None


class CalibrationRate(msgspec.Struct, frozen=True, kw_only=True):
    """The client's own error at one token rate; milliseconds."""

    tokens_per_s: float
    requests: int
    client_delay_p50_ms: float
    client_delay_p99_ms: float | None
    """This p99 and the others: None where too few requests were answered."""
    ttft_error_p50_ms: float
    """From due, less what the server knows of itself and what the path to it adds."""
    ttft_error_p99_ms: float | None
    itl_error_p50_ms: float
    """Of a request's mean gap."""
    itl_error_p99_ms: float | None
    server_late_p99_ms: float | None
    holds: bool
    """The error is within its bound, and the requests were answered."""


class RateSpan(msgspec.Struct, frozen=True):
    """One rate of a replay; seconds from its start."""

    tokens_per_s: float
    tokens_a_request: int
    begin_s: float
    end_s: float

    first: int
    """Index of its first request in the replay."""

    @property
    def count(self) -> int:
        """Of its requests."""
        return math.ceil((self.end_s - self.begin_s) * self.tokens_per_s / self.tokens_a_request - 1e-6)

    def due_s(self) -> NDArray[np.float64]:
        """Its requests, evenly spaced."""
        gap_s = self.tokens_a_request / self.tokens_per_s
        return self.begin_s + np.arange(self.count, dtype=np.float64) * gap_s


def rate_spans(levels: Sequence[float], seconds: float) -> list[RateSpan]:
    """A stair for each rate, each long enough for a tail of its requests."""
    stairs: list[RateSpan] = []
    end_s, first = 0.0, 0
    for number, rate in enumerate(levels):
        tokens = TOKENS_A_REQUEST if number else _TOKENS_AT_FIRST
        begin_s, end_s = end_s, end_s + max(seconds, _REQUESTS * tokens / rate)
        stairs.append(RateSpan(rate, tokens, begin_s, end_s, first))
        first += stairs[-1].count
    return stairs


def path_of(stair: RateSpan, records: Sequence[RequestRecord], truth: dict[str, Truth]) -> float:
    """What the way to the null server adds to a TTFT, milliseconds: the median at this rate.

    It is part of every TTFT that is measured there; what differences can be told depends on how it varies.
    """
    answered = _answered(stair, records, truth)
    return float(np.median(_errors(answered)[:, 1])) if answered else 0.0


def level_of(
    stair: RateSpan, records: Sequence[RequestRecord], truth: dict[str, Truth], path_ms: float = 0.0
) -> CalibrationRate | None:
    """What was found at one rate, by the null server's `truth` of each request; None: no answers.

    `path_ms` is what the way there adds, which is no error.
    """
    answered = _answered(stair, records, truth)
    if not answered:
        return None
    delay, ttft, gap, late = _errors(answered).T
    ttft = np.abs(ttft - path_ms)
    ttft_p99 = percentile(ttft, 0.99)
    return CalibrationRate(
        tokens_per_s=stair.tokens_per_s,
        requests=len(answered),
        client_delay_p50_ms=float(np.median(delay)),
        client_delay_p99_ms=percentile(delay, 0.99),
        ttft_error_p50_ms=float(np.median(ttft)),
        ttft_error_p99_ms=ttft_p99,
        itl_error_p50_ms=float(np.median(gap)),
        itl_error_p99_ms=percentile(gap, 0.99),
        server_late_p99_ms=percentile(late, 0.99),
        holds=ttft_p99 is not None and ttft_p99 <= MOST_ERROR_MS and len(answered) >= _ANSWERED * stair.count,
    )


def _answered(
    stair: RateSpan, records: Sequence[RequestRecord], truth: dict[str, Truth]
) -> list[tuple[RequestRecord, Truth]]:
    return [
        (record, truth[record.request_id])
        for record in records
        if stair.first <= record.index < stair.first + stair.count
        and record.last_token is not None
        and record.request_id in truth
    ]


def _errors(answered: Sequence[tuple[RequestRecord, Truth]]) -> NDArray[np.float64]:
    """One row a request: client delay, error of TTFT (signed), of the mean gap, the server's lateness; ms."""
    rows = []
    for record, true in answered:
        assert record.sent is not None
        assert record.released is not None
        assert record.first_token is not None
        assert record.last_token is not None
        assert true.first is not None
        assert true.last is not None
        ttft = record.first_token - record.due - (true.first - true.request)
        span = record.last_token - record.first_token - (true.last - true.first)
        gaps = max(1, (record.tokens or 1) - 1)
        rows.append((record.sent - record.released, ttft, abs(span) / gaps, true.late))
    return np.array(rows) * 1e3


def limit_of(levels: Sequence[float], found: Sequence[CalibrationRate]) -> float:
    """The highest of the rates tried up to which every one held; 0: not even the lowest did.

    A rate that held above one that didn't proves a pause of the machine, not a faster client.
    """
    holds = {level.tokens_per_s: level.holds for level in found}
    held = list(itertools.takewhile(lambda rate: holds.get(rate, False), sorted(levels)))
    return held[-1] if held else 0.0


def shaky(levels: Sequence[float], found: Sequence[CalibrationRate]) -> bool:
    """Whether a rate above the limit held, so that something else made the lower one late."""
    limit = limit_of(levels, found)
    return any(level.holds and level.tokens_per_s > limit for level in found)


def better_of(first: Sequence[CalibrationRate], second: Sequence[CalibrationRate]) -> list[CalibrationRate]:
    """Of each rate the try with the smaller error; one that did not hold gives way to one that did."""
    tries: dict[float, list[CalibrationRate]] = {}
    for level in (*first, *second):
        tries.setdefault(level.tokens_per_s, []).append(level)
    return [
        min(tries[rate], key=lambda level: (not level.holds, level.ttft_error_p99_ms or math.inf))
        for rate in sorted(tries)
    ]


def limited_by(levels: Sequence[CalibrationRate]) -> str:
    """Who was late where the first rate didn't hold: `client` or `null server`; `nothing`: all held."""
    broken = next((level for level in levels if not level.holds), None)
    if broken is None:
        return "nothing"
    late_ms = broken.server_late_p99_ms
    return "null server" if late_ms is not None and late_ms > _SERVER_LATE_MS else "client"
