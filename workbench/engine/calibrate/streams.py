"""What the clients of a calibration saw, as rows: no access to the server is needed.

While nobody's prompt is under way every open stream gets one token a step: so the time between a stream's
tokens is the time of a step, and its contents are known from lengths and tokens received.
"""

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workbench.engine.calibrate.rows import Row
from workbench.results import Outcome, RequestRecord

_LEAST_STEPS = 4
"""Shorter stretches say more about the client's clock than about steps."""


class _Stream(NamedTuple):
    """One request's token times in seconds and how many tokens had come by each."""

    sent: float
    prompt: int
    times: NDArray[np.float64]
    received: NDArray[np.int64]


def decode_rows(records: Iterable[RequestRecord], *, time_scale: float = 1.0) -> list[Row]:
    """A row for each stretch between two events (a request sent, begun, ended) without a prompt under way.

    Args:
        records: of one load, warm-up left out; all must have completed and none may have been preempted.
        time_scale: the server's seconds in one of the records'.
    """
    streams = [_stream(record, time_scale) for record in _completed(records)]
    events = sorted({t for stream in streams for t in (stream.sent, stream.times[0], stream.times[-1])})
    prompts = sorted((stream.sent, float(stream.times[0])) for stream in streams)
    rows = []
    for begin, end in itertools.pairwise(events):
        if not any(sent < end and first > begin for sent, first in prompts):
            decoding = [one for one in streams if one.times[0] <= begin and one.times[-1] >= end]
            rows += _stretch(decoding, begin, end)
    return rows


def _stretch(decoding: Sequence[_Stream], begin: float, end: float) -> list[Row]:
    """The steps that lie wholly inside, averaged over the streams, each of which counted them."""
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


def prompt_rows(records: Iterable[RequestRecord], *, budget: int, time_scale: float = 1.0) -> list[Row]:
    """A row for each prompt that had the server for itself, cut into steps of `budget` tokens."""
    rows = []
    for record in _completed(records):
        assert record.sent is not None
        assert record.first_token is not None
        tokens = record.prompt_tokens or record.input_tokens
        rows.append(
            Row(
                us=1e6 * time_scale * (record.first_token - record.sent),
                steps=-(-tokens // budget),
                P=tokens,
                Q=tokens * tokens / 2,  # however it is cut: the chunks' areas add up to the triangle
                requests=1,
            )
        )
    return rows


def _completed(records: Iterable[RequestRecord]) -> list[RequestRecord]:
    return [
        record
        for record in records
        if record.outcome is Outcome.COMPLETED and record.sent is not None and record.first_token is not None
    ]


def _stream(record: RequestRecord, scale: float) -> _Stream:
    assert record.sent is not None
    assert record.first_token is not None
    gaps = record.gap_array().astype(np.float64) / 1000
    times = record.first_token + np.concatenate([[0.0], np.cumsum(gaps)])
    counts = np.concatenate([[record.first_event_tokens], record.token_array().astype(np.int64)])
    return _Stream(
        sent=record.sent * scale,
        prompt=record.prompt_tokens or record.input_tokens,
        times=times * scale,
        received=np.cumsum(counts),
    )
