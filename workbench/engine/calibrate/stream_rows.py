"""Rows from the clients' records of a calibration, without access to the server.

While no prompt is under way, every open stream gets one token a step. So the time between a stream's tokens
is the time of a step, and its contents follow from the lengths and the tokens received.
"""

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.base import Refusal
from workbench.engine.calibrate.step_rows import Row
from workbench.results import Outcome, RequestRecord, has_token_counts, request_token_gaps

_LEAST_STEPS = 4
"""Shorter spans measure the client's clock more than steps."""


Floats = NDArray[np.float64]


class _Stream(NamedTuple):
    """Token times of a request in seconds, and the tokens received by each."""

    prompt: int
    times: Floats
    received: NDArray[np.int64]


def decode_rows(records: Iterable[RequestRecord], *, time_scale: float = 1.0) -> list[Row]:
    """Return a row for each span between events (a request sent, begun, ended) without a prompt under way.

    Args:
        records: of one load, none of them preempted; incomplete ones count as far as they got.
        time_scale: server seconds in a second of the records.
    """
    sent = [record for record in records if record.sent is not None]
    streams = [_stream(record, time_scale) for record in sent if record.first_token is not None]
    prompts = [_prompt_under_way(record, time_scale) for record in sent]
    events = sorted(
        {float(t) for stream in streams for t in (stream.times[0], stream.times[-1])}
        | {begin for begin, _ in prompts}
    )
    rows = []
    for begin, end in itertools.pairwise(events):
        if not any(since < end and until > begin for since, until in prompts):
            decoding = [one for one in streams if one.times[0] <= begin and one.times[-1] >= end]
            rows += _stretch(decoding, begin, end)
    return rows


def _stretch(decoding: Sequence[_Stream], begin: float, end: float) -> list[Row]:
    """Return the steps inside a span, averaged over the streams, each of which counts them."""
    steps, seconds, context = [], [], 0.0
    for stream in decoding:
        first, last = bisect_left(stream.times, begin), bisect_right(stream.times, end) - 1
        if last <= first:
            return []
        before = stream.received[first:last]
        steps.append(int(stream.received[last] - stream.received[first]))
        seconds.append(float(stream.times[last] - stream.times[first]))
        context += stream.prompt + float(before.mean())
    if not steps or sum(steps) < _LEAST_STEPS * len(steps):
        return []
    count = sum(steps) / len(steps)
    return [
        Row(
            us=1e6 * sum(seconds) / len(seconds),
            steps=count,
            D=count * len(decoding),
            K=count * context,
        )
    ]


def mixed_rows(records: Iterable[RequestRecord], *, time_scale: float = 1.0) -> list[Row]:
    """Return a row for each request's time from first to last token, whatever else ran meanwhile.

    A step gives every running request a token. So its own tokens count the steps, all tokens the decodes, and
    first tokens in between the prompts.
    """
    streams = [_stream(record, time_scale) for record in records if record.first_token is not None]
    decodes = _Sums(
        np.concatenate([one.times[1:] for one in streams]),
        np.concatenate([np.diff(one.received) for one in streams]),
        np.concatenate([np.diff(one.received) * (one.prompt + one.received[:-1]) for one in streams]),
    )
    prompts = np.array([one.prompt for one in streams], dtype=np.float64)
    begun = _Sums(np.array([one.times[0] for one in streams]), prompts, prompts**2 / 2)
    rows = []
    for one in streams:
        first, last = float(one.times[0]), float(one.times[-1])
        steps = int(one.received[-1] - one.received[0])
        if steps and last > first:
            (d, k), (p, q) = decodes.between(first, last), begun.between(first, last)
            rows.append(Row(1e6 * (last - first), steps, P=p, D=d, K=k, Q=q))
    return rows


def step_noise(records: Iterable[RequestRecord]) -> float:
    """Return the standard deviation of the logarithm of a step's time, at equal content; 0 if none is seen.

    Most tokens of a stream come from steps of like content, so the gaps nearest the stream's median tell it:
    a quarter of the gaps, which steps with prompts don't reach.
    """
    found = []
    for record in records:
        if record.first_token is not None and has_token_counts(record.gap_tokens):
            gaps = request_token_gaps(record.gaps_ms, record.gap_tokens)
            if len(gaps) > _LEAST_STEPS:
                found.append(np.abs(np.log(np.maximum(gaps, 1e-6) / max(1e-6, float(np.median(gaps))))))
    quarter = NormalDist().inv_cdf(0.5 + 0.25 / 2)
    return float(np.quantile(np.concatenate(found), 0.25)) / quarter if found else 0.0


class _Sums:
    """Sums of two quantities over the events after one time and up to another."""

    def __init__(self, times: Floats, one: Floats, other: Floats) -> None:
        order = np.argsort(times)
        self._times = times[order]
        self._one = np.concatenate([[0.0], np.cumsum(one[order])])
        self._other = np.concatenate([[0.0], np.cumsum(other[order])])

    def between(self, begin: float, end: float) -> tuple[float, float]:
        low, high = np.searchsorted(self._times, (begin, end), side="right")
        return float(self._one[high] - self._one[low]), float(self._other[high] - self._other[low])


def _prompt_under_way(record: RequestRecord, scale: float) -> tuple[float, float]:
    """Return the span from sending to first token, endless without one."""
    assert record.sent is not None
    first = math.inf if record.first_token is None else record.first_token
    return record.sent * scale, first * scale


def prompt_rows(records: Iterable[RequestRecord], *, budget: int, time_scale: float = 1.0) -> list[Row]:
    """Return a row for each prompt that ran alone, cut into steps of `budget` tokens."""
    rows = []
    for record in records:
        if record.outcome is not Outcome.COMPLETED or record.sent is None or record.first_token is None:
            continue
        tokens = record.prompt_tokens or record.input_tokens
        rows.append(
            Row(
                us=1e6 * time_scale * (record.first_token - record.sent),
                steps=-(-tokens // budget),
                P=tokens,
                Q=tokens * tokens / 2,  # for any cut, the chunks' areas add up to the triangle
                requests=1,
            )
        )
    return rows


def _stream(record: RequestRecord, scale: float) -> _Stream:
    """Return the times of a request's tokens.

    Raises:
        Refusal: the number of tokens in each event is unknown.
    """
    assert record.first_token is not None
    if not has_token_counts(record.gap_tokens):
        raise Refusal("engine.tokens_unknown", request=record.request_id)
    gaps = record.gap_array().astype(np.float64) / 1000
    times = record.first_token + np.concatenate([[0.0], np.cumsum(gaps)])
    counts = np.concatenate([[record.first_event_tokens], record.token_array().astype(np.int64)])
    return _Stream(
        prompt=record.prompt_tokens or record.input_tokens,
        times=times * scale,
        received=np.cumsum(counts),
    )
