"""Loads that reveal the coefficients: single prompts, cells of streams and contexts, mixed requests.

A step's content can't be seen from outside, so loads with known content are used. Prompts of several lengths,
one at a time, give b and e; a fixed number of streams gives a and c; longer contexts separate d from c, which
a single context length can't.
"""

import math
from collections.abc import Sequence

import numpy as np

from workbench.base import Record
from workbench.engine import SchedulerConfig
from workbench.profiles import StepModel
from workbench.traces import Trace, TraceRow

PROMPT_OUTPUT = 8
"""Tokens generated after each single prompt: steps of one stream over that context."""
_LONGEST_PROMPT = 8192
_SHORTEST_PROMPT = 64
_PROMPT_LENGTHS = 6
_MOST_STREAMS = 128
_STREAM_LEVELS = 4
_SHORT_CONTEXT = 64
_LONG_CONTEXT = 4096
_WORTHWHILE = 4
"""Smallest ratio of the longer to the shorter context that separates d from c."""
_FEWEST_OUTPUTS, _MOST_OUTPUTS = 16, 256
_MOST_ROUNDS = 8


class Cell(Record, frozen=True, kw_only=True):
    """A number of streams at once, all with prompts of `context` tokens."""

    streams: int
    context: int
    outputs: int
    rounds: int


def prompt_lengths(config: SchedulerConfig) -> list[int]:
    """Return the lengths of single prompts, evenly spaced on a logarithmic scale."""
    longest = min(_LONGEST_PROMPT, config.max_model_len - PROMPT_OUTPUT, room(config, 1) - PROMPT_OUTPUT)
    shortest = min(_SHORTEST_PROMPT, max(1, longest // 4))
    lengths = np.geomspace(shortest, longest, _PROMPT_LENGTHS).round().astype(int)
    return sorted(set(lengths.tolist()))


def room(config: SchedulerConfig, streams: int) -> int:
    """Return the tokens that each of `streams` requests can have in the KV cache, in whole blocks."""
    blocks = (config.num_gpu_blocks - 1) // streams
    return min(blocks * config.block_size, config.max_model_len)


def stream_levels(config: SchedulerConfig) -> list[int]:
    """Return numbers of streams up to the sequence limit, evenly spaced on a logarithmic scale."""
    seats = min(_MOST_STREAMS, config.max_num_active_seqs or config.max_num_seqs)
    most = max((n for n in range(1, seats + 1) if room(config, n) > 2 * _FEWEST_OUTPUTS), default=1)
    return sorted({round(most ** (level / _STREAM_LEVELS)) for level in range(1, _STREAM_LEVELS + 1)})


def cell(
    config: SchedulerConfig, streams: int, *, long: bool, model: StepModel, slice_s: float
) -> Cell | None:
    """Return a cell of `streams` that takes about `slice_s` server seconds by the model so far.

    None if no useful context fits, or the time is too short.
    """
    each = room(config, streams)
    context = min(_SHORT_CONTEXT, each // 2)
    if long:
        affordable = slice_s / 2 / (streams * max(model.b, 1e-3) * 1e-6)
        longer = int(min(_LONG_CONTEXT, each - _FEWEST_OUTPUTS, affordable))
        if longer < _WORTHWHILE * context:
            return None
        context = longer
    prompts_s = streams * (context * model.b + context * context / 2 * model.e) * 1e-6
    step_s = model.step_us(0, streams, streams * context, 0.0) * 1e-6
    steps = int((slice_s - prompts_s) / step_s) if slice_s > prompts_s else 0
    outputs = min(_MOST_OUTPUTS, each - context, steps)
    if outputs < _FEWEST_OUTPUTS:
        return None
    rounds = int(slice_s / (prompts_s + outputs * step_s))
    return Cell(streams=streams, context=context, outputs=outputs, rounds=max(1, min(_MOST_ROUNDS, rounds)))


def mixed_trace(config: SchedulerConfig, *, rows: int, seed: int) -> Trace:
    """Return a trace unlike the fitted loads: log-uniform lengths, unique prompts."""
    draw = np.random.default_rng(seed)
    pool = (config.num_gpu_blocks - 1) * config.block_size
    prompts = _spread(draw, 32, min(2048, config.max_model_len // 2, pool // 4), rows)
    outputs = _spread(draw, 8, min(200, config.max_model_len // 4, pool // 8), rows)
    return Trace.from_rows(
        [
            TraceRow(timestamp=float(i), input_length=prompt, output_length=output, cls="mixed")
            for i, (prompt, output) in enumerate(zip(prompts, outputs, strict=True))
        ],
        source="calibration",
    )


def _spread(draw: np.random.Generator, low: int, high: int, count: int) -> Sequence[int]:
    low = min(low, high)
    values: list[int] = np.exp(draw.uniform(math.log(low), math.log(high + 1), count)).astype(int).tolist()
    return values
