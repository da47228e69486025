"""How much of a run's prompts a prefix cache that starts cold can serve, so that a warm one is noticed."""

import asyncio

import numpy as np

from workbench.load import LoadOptions
from workbench.traces import Schedule, Trace, ideal_hit_tokens


def cold_hit_share(
    trace: Trace, schedule: Schedule, options: LoadOptions, endpoint: str, requests: int
) -> float | None:
    """At most this share (0..1) of the prompt tokens of the first `requests` requests had been seen before.

    None where it isn't known: without a salt of its own the cache may be anybody's; text has its tokens, a
    chat its template, from the server; what is sent again is found again.
    """
    as_ids = options.input_mode == "ids" or (options.input_mode is None and endpoint == "completions")
    if options.cache_salt is None or not as_ids or options.max_retries or not requests:
        return None
    hits = ideal_hit_tokens(trace)
    if hits is None:
        return 0.0
    known = requests <= len(schedule.rows)
    rows = schedule.rows[:requests] if known else np.arange(requests) % schedule.trace_rows
    # Block ids stand for the same tokens in each pass over the trace.
    again = np.arange(len(rows)) >= schedule.trace_rows
    seen = np.where(again, trace.input_length[rows], hits[rows])
    return float(seen.sum() / trace.input_length[rows].sum())


async def cold_hits(
    trace: Trace, schedule: Schedule, options: LoadOptions, endpoint: str, requests: int
) -> float | None:
    """`cold_hit_share` in a thread: of a million prompts it takes a second that the loop doesn't have."""
    return await asyncio.to_thread(cold_hit_share, trace, schedule, options, endpoint, requests)
