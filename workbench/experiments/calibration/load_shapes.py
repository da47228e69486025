"""Which load tells which coefficient: prompts alone, cells of streams and contexts, a mixed run held out.

Of a step nothing is seen from outside, so loads are chosen under which its contents are known: prompts of
several lengths one at a time give b and e; so many streams at once give a and c; the same with longer
contexts tells d from c, which one context length alone can't.
"""

import math
from collections.abc import Sequence

import numpy as np

from workbench.base import Record
from workbench.engine import SchedulerConfig
from workbench.profiles import StepModel
from workbench.traces import Trace, TraceRow

PROMPT_OUTPUT = 8
"""Tokens generated after each prompt that runs alone: steps of one stream over that context."""
_LONGEST_PROMPT = 8192
_SHORTEST_PROMPT = 64
_PROMPT_LENGTHS = 6
_MOST_STREAMS = 128
_STREAM_LEVELS = 4
_SHORT_CONTEXT = 64
_LONG_CONTEXT = 4096
_WORTHWHILE = 4
"""A longer context must be so many times the shorter one to tell d from c."""
_FEWEST_OUTPUTS, _MOST_OUTPUTS = 16, 256
_MOST_ROUNDS = 8


class Cell(Record, frozen=True, kw_only=True):
    """So many streams at once, all with prompts of `context` tokens."""

    streams: int
    context: int
    outputs: int
    rounds: int


def prompt_lengths(config: SchedulerConfig) -> list[int]:
    """Lengths of prompts that run alone, evenly spaced on a logarithmic scale."""
    longest = min(_LONGEST_PROMPT, config.max_model_len - PROMPT_OUTPUT, room(config, 1) - PROMPT_OUTPUT)
    shortest = min(_SHORTEST_PROMPT, max(1, longest // 4))
    lengths = np.geomspace(shortest, longest, _PROMPT_LENGTHS).round().astype(int)
    return sorted(set(lengths.tolist()))


def room(config: SchedulerConfig, streams: int) -> int:
    """Tokens that each of so many requests can have in the KV cache, in whole blocks."""
    blocks = (config.num_gpu_blocks - 1) // streams
    return min(blocks * config.block_size, config.max_model_len)


def stream_levels(config: SchedulerConfig) -> list[int]:
    """Numbers of streams, evenly spaced on a logarithmic scale up to the seats."""
    seats = min(_MOST_STREAMS, config.max_num_active_seqs or config.max_num_seqs)
    most = max((n for n in range(1, seats + 1) if room(config, n) > 2 * _FEWEST_OUTPUTS), default=1)
    return sorted({round(most ** (level / _STREAM_LEVELS)) for level in range(1, _STREAM_LEVELS + 1)})


def cell(
    config: SchedulerConfig, streams: int, *, long: bool, model: StepModel, slice_s: float
) -> Cell | None:
    """The cell of so many streams that takes about `slice_s` seconds of the server, by what is known so far.

    None: there is no context for them that is worth a cell of its own, or no time.
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
    """Unlike any load fitted to: lengths spread evenly on a logarithmic scale, all prompts unique."""
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
