"""The size of a KV cache that no one states, from requests that waited for it."""

from collections.abc import Sequence

import numpy as np

from workbench.engine.calibrate.request_fit import TimedRequest

_WAITED_S = 0.5
"""A wait longer than any step."""
_TYPICAL = 0.5
"""Quantile of the use at the ends of waits; preempted requests look as if they ran and raise upper ones."""


def estimate_kv_blocks(
    requests: Sequence[TimedRequest], queue_s: Sequence[float], max_num_seqs: int, block_size: int
) -> int | None:
    """Return the blocks that were in use while requests waited with sequence slots free.

    Args:
        requests: those with stamps come first, in the order of their due times.
        queue_s: seconds that each of those waited for its first step.
        max_num_seqs: the sequence slots.
        block_size: tokens of a block.

    Returns:
        The blocks, the null block included; None if no request waited for the cache.
    """
    timed = [one for one in requests if one.first_s is not None and one.last_s is not None]
    due = np.array([one.due_s for one in timed])
    begun = due + np.array(queue_s[: len(timed)])
    first = np.array([one.first_s for one in timed], dtype=np.float64)
    last = np.array([one.last_s for one in timed], dtype=np.float64)
    prompt = np.array([one.prompt for one in timed], dtype=np.float64)
    output = np.array([one.output for one in timed], dtype=np.float64)
    used = []
    for n in np.flatnonzero(np.array(queue_s[: len(timed)]) > _WAITED_S):
        moment = begun[n] - 1e-3
        running = (begun < moment) & (last > moment)
        if running.sum() >= max_num_seqs:
            continue
        progress = np.clip((moment - first) / np.maximum(last - first, 1e-9), 0.0, 1.0)
        tokens = prompt + progress * output
        used.append(float(np.ceil(tokens[running] / block_size).sum() + np.ceil(prompt[n] / block_size)))
    return 1 + int(np.quantile(used, _TYPICAL)) if used else None
