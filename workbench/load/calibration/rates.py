"""Rates of a calibration: their times, the error found at each, and which of them hold."""

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
"""At the lowest rate, which gives the resolution: short requests, so that seconds bring enough for a p99."""
MOST_ERROR_MS = 5.0
"""The client is at its limit if the p99 of its TTFT error exceeds this."""
_ANSWERED = 0.9
"""Least answered share of a rate's requests."""
_REQUESTS = math.ceil(sample_floor(0.99) / _ANSWERED)
"""Least requests at each rate: enough for the p99 of a rate that holds."""
_SERVER_LATE_MS = 5.0
"""Beyond this lateness of the null server itself, the error may be the server's."""


class Truth(msgspec.Struct, frozen=True):
    """The null server's times of a request; seconds of its own clock, None: not yet."""

    id: str
    request: float
    late: float
    first: float | None = None
    last: float | None = None

    @property
    def whole(self) -> bool:
        """It was answered to the end."""
        return self.first is not None and self.last is not None


class CalibrationRate(msgspec.Struct, frozen=True, kw_only=True):
    """The client's own error at a token rate; milliseconds."""

    tokens_per_s: float
    requests: int
    client_delay_p50_ms: float
    client_delay_p99_ms: float | None
    """This p99 and the others: None if too few requests were answered."""
    ttft_error_p50_ms: float
    """Measured from due, less the server's own time and that of the path."""
    ttft_error_p99_ms: float | None
    itl_error_p50_ms: float
    """Error of a request's mean gap."""
    itl_error_p99_ms: float | None
    server_late_p99_ms: float | None
    holds: bool
    """The error is within its limit, and the requests were answered."""


class RateSpan(msgspec.Struct, frozen=True):
    """The span of a rate in the load; seconds from its start."""

    tokens_per_s: float
    tokens_a_request: int
    begin_s: float
    end_s: float

    first: int
    """Index of its first request in the load."""

    @property
    def count(self) -> int:
        """Number of its requests."""
        return math.ceil((self.end_s - self.begin_s) * self.tokens_per_s / self.tokens_a_request - 1e-6)

    def due_s(self) -> NDArray[np.float64]:
        """Return the due times of its requests, evenly spaced."""
        gap_s = self.tokens_a_request / self.tokens_per_s
        return self.begin_s + np.arange(self.count, dtype=np.float64) * gap_s


def rate_spans(levels: Sequence[float], seconds: float) -> list[RateSpan]:
    """Return a span for each rate, long enough for the p99 of its requests."""
    stairs: list[RateSpan] = []
    end_s, first = 0.0, 0
    for number, rate in enumerate(levels):
        tokens = TOKENS_A_REQUEST if number else _TOKENS_AT_FIRST
        begin_s, end_s = end_s, end_s + max(seconds, _REQUESTS * tokens / rate)
        stairs.append(RateSpan(rate, tokens, begin_s, end_s, first))
        first += stairs[-1].count
    return stairs


def path_of(stair: RateSpan, records: Sequence[RequestRecord], truth: dict[str, Truth]) -> float:
    """Return the milliseconds that the path to the null server adds to a TTFT: the median at this rate.

    It is part of every TTFT measured there; only its variation limits the differences that can be resolved.
    """
    answered = _answered(stair, records, truth)
    return float(np.median(_errors(answered)[:, 1])) if answered else 0.0


def level_of(
    stair: RateSpan, records: Sequence[RequestRecord], truth: dict[str, Truth], path_ms: float = 0.0
) -> CalibrationRate | None:
    """Return the client's error at a rate, from the null server's `truth`; None: no answers.

    `path_ms` is the time that the path adds, which is not an error.
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
    """Return for each request: client delay, error of TTFT (signed) and mean gap, server lateness; ms."""
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
    """Return the highest rate up to which all tried rates hold; 0: not even the lowest does.

    A rate that holds above one that doesn't shows a pause of the machine, not a faster client.
    """
    holds = {level.tokens_per_s: level.holds for level in found}
    held = list(itertools.takewhile(lambda rate: holds.get(rate, False), sorted(levels)))
    return held[-1] if held else 0.0


def shaky(levels: Sequence[float], found: Sequence[CalibrationRate]) -> bool:
    """Return whether a rate above the limit holds: then the machine made the lower one late."""
    limit = limit_of(levels, found)
    return any(level.holds and level.tokens_per_s > limit for level in found)


def better_of(first: Sequence[CalibrationRate], second: Sequence[CalibrationRate]) -> list[CalibrationRate]:
    """Return the better try of each rate: one that holds, then the one with the smaller error."""
    tries: dict[float, list[CalibrationRate]] = {}
    for level in (*first, *second):
        tries.setdefault(level.tokens_per_s, []).append(level)
    return [
        min(tries[rate], key=lambda level: (not level.holds, level.ttft_error_p99_ms or math.inf))
        for rate in sorted(tries)
    ]


def limited_by(levels: Sequence[CalibrationRate]) -> str:
    """Return `client` or `null server`, whichever limits the first rate that fails; `nothing`: all hold."""
    broken = next((level for level in levels if not level.holds), None)
    if broken is None:
        return "nothing"
    late_ms = broken.server_late_p99_ms
    return "null server" if late_ms is not None and late_ms > _SERVER_LATE_MS else "client"
