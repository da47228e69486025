"""Steps from a server's log, where it runs with `--enable-logging-iteration-details`.

A line tells how many requests and tokens a step had and how long the model took, not their contexts: these
follow from the share of the KV cache in use. The time between two steps is not in it.
"""

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from workbench.dialect import Iteration, iteration_of
from workbench.engine.calibrate.rows import Row


class Pool(NamedTuple):
    """What turns a share of the KV cache into tokens."""

    usable_blocks: int
    block_size: int
    budget: int
    """Tokens of one step: a prompt's chunk of that many is followed by another."""


def logged_rows(lines: Iterable[str], pool: Pool) -> list[Row]:
    """The steps that only decode, and those that hold a part of one prompt and nothing else.

    vLLM before 0.26 doesn't print the KV cache's usage: of its log there are no decodes.
    """
    return list(_rows(_iterations(lines), pool))


def _iterations(lines: Iterable[str]) -> Iterator[Iteration]:
    for line in lines:
        iteration = iteration_of(line)
        if iteration is not None and not iteration.dummy:
            yield iteration


def _rows(iterations: Iterable[Iteration], pool: Pool) -> Iterator[Row]:
    before = 0
    for this, following in itertools.pairwise(iterations):
        alone = this.context_requests == 1 and not this.generation_requests
        if alone:
            yield _prompt_row(this, before)
        elif this.kv_usage is None:
            continue  # how much context its decodes had is unknown
        elif not this.context_requests and following.generation_requests >= this.generation_requests:
            # After a step that ended somebody, the blocks told are those of the others.
            yield _decode_row(this, this.kv_usage, pool)
        goes_on = alone and this.context_tokens >= pool.budget
        before = before + this.context_tokens if goes_on else 0


def _prompt_row(this: Iteration, before: int) -> Row:
    tokens = this.context_tokens
    return Row(1000 * this.elapsed_ms, 1, P=tokens, Q=tokens * (before + tokens / 2))


def _decode_row(this: Iteration, kv_usage: float, pool: Pool) -> Row:
    """The last block of each request is half full on average."""
    decodes = this.generation_requests
    stored = kv_usage * pool.usable_blocks * pool.block_size - decodes * pool.block_size / 2
    return Row(1000 * this.elapsed_ms, 1, D=decodes, K=max(float(decodes), stored))
