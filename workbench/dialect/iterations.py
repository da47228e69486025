"""The line a step, where vLLM runs with `--enable-logging-iteration-details` (0.14 and later).

Since 0.26 (vllm/v1/metrics/loggers.py) the KV cache's usage follows; before (vllm/v1/engine/core.py) not.
"""

import re
from typing import NamedTuple


class Iteration(NamedTuple):
    """One non-empty step. `context` is work on prompts, `generation` on outputs."""

    context_requests: int
    context_tokens: int
    generation_requests: int
    generation_tokens: int
    elapsed_ms: float
    """Waiting for the model; scheduling and what lies between two steps is not in it."""
    kv_usage: float | None
    """0 to 1, after the step: what it ended is freed already. None: vLLM before 0.26 doesn't print it."""
    dummy: bool
    """A step that keeps data-parallel ranks together and computes nothing."""


_LINE = re.compile(
    r"Iteration\(\d+\): (?P<cr>\d+) context requests, (?P<ct>\d+) context tokens, "
    r"(?P<gr>\d+) generation requests, (?P<gt>\d+) generation tokens, "
    r"iteration elapsed time: (?P<ms>[\d.]+) ms(?P<dummy> \(dummy\))?"
    r"(?:, \w+ KV cache usage: (?P<kv>[\d.]+)%)?"
)


def iteration_of(line: str) -> Iteration | None:
    """What a log line tells of one step; None: it is another line."""
    found = _LINE.search(line)
    if not found:
        return None
    return Iteration(
        context_requests=int(found["cr"]),
        context_tokens=int(found["ct"]),
        generation_requests=int(found["gr"]),
        generation_tokens=int(found["gt"]),
        elapsed_ms=float(found["ms"]),
        kv_usage=float(found["kv"]) / 100 if found["kv"] else None,
        dummy=found["dummy"] is not None,
    )
