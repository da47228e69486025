"""Memory figures in the server's own log, and the estimate's error."""

import re
from collections.abc import Iterable

from workbench.advice.sizing.memory_estimate import SizingEstimate
from workbench.base import Message, Record, message, percent_change

_NUMBER = r"(-?[\d.]+) ?Gi?B\b"
"""Older versions write GB for 2^30 bytes: the number is the same."""
_WEIGHTS = re.compile(rf"(?:Model loading|Loading model weights) took {_NUMBER}|model weights take {_NUMBER}")
_ACTIVATION = re.compile(
    rf"torch peak memory increase: {_NUMBER}|PyTorch activation peak memory takes {_NUMBER}"
)
_NON_TORCH = re.compile(rf"non-torch forward increase memory: {_NUMBER}|non_torch_memory takes {_NUMBER}")
_GRAPHS = re.compile(rf"Graph capturing finished in .*?took {_NUMBER}")
_KV = re.compile(rf"Available KV cache memory: {_NUMBER}|reserved for KV Cache is {_NUMBER}")
_TOKENS = re.compile(r"KV cache size: ([\d,]+) tokens")
_BLOCKS = re.compile(r"# (?:GPU|cuda) blocks: (\d+)")
_CONCURRENCY = re.compile(r"Maximum concurrency for ([\d,]+) tokens per request: ([\d.]+)x")
"""Like the patterns above in the wordings of 0.6 to 0.32."""


class ServerMemory(Record, frozen=True, kw_only=True):
    """GiB on one GPU of the worker that decides: most weights, least KV cache. None: not in the log."""

    weights_gib: float | None
    activation_gib: float | None
    non_torch_gib: float | None
    graphs_gib: float | None
    kv_gib: float | None
    kv_tokens: int | None
    kv_blocks: int | None
    max_model_len: int | None
    max_concurrency: float | None


def read_server_memory(lines: Iterable[str]) -> ServerMemory:
    """Read a log, skipping lines without memory figures."""
    text = "\n".join(lines)
    tokens = [int(found.replace(",", "")) for found in _TOKENS.findall(text)]
    blocks = [int(found) for found in _BLOCKS.findall(text)]
    concurrency = _CONCURRENCY.findall(text)
    return ServerMemory(
        weights_gib=max(_gib(_WEIGHTS, text), default=None),
        activation_gib=max(_gib(_ACTIVATION, text), default=None),
        non_torch_gib=max(_gib(_NON_TORCH, text), default=None),
        graphs_gib=max(_gib(_GRAPHS, text), default=None),
        kv_gib=min(_gib(_KV, text), default=None),
        kv_tokens=min(tokens, default=None),
        kv_blocks=min(blocks, default=None),
        max_model_len=int(concurrency[-1][0].replace(",", "")) if concurrency else None,
        max_concurrency=min((float(ratio) for _, ratio in concurrency), default=None),
    )


def _gib(pattern: re.Pattern[str], text: str) -> list[float]:
    return [float(next(group for group in found.groups() if group)) for found in pattern.finditer(text)]


def differences(estimate: SizingEstimate, memory: ServerMemory) -> list[Message]:
    """Return each figure that both know: estimate, server's value, difference."""
    notes = []
    for name, ours, theirs in (
        (message("sizing.figure_weights"), estimate.weights_gib, memory.weights_gib),
        (message("sizing.figure_activation"), estimate.activation_gib, memory.activation_gib),
        (message("sizing.figure_kv_cache"), estimate.kv_gib, memory.kv_gib),
    ):
        if ours is not None and theirs:
            off = percent_change(theirs, ours, 1)
            notes.append(message("sizing.off_gib", figure=name, estimate=ours, server=theirs, off=off))
    ours, theirs = estimate.kv_tokens, memory.kv_tokens
    if ours is not None and theirs:
        off = percent_change(theirs, ours, 1)
        notes.append(message("sizing.off_tokens", estimate=ours, server=theirs, off=off))
    low, high = estimate.kv_tokens_low, estimate.kv_tokens_high
    if low is not None and high is not None and theirs is not None and not low <= theirs <= high:
        notes.append(message("sizing.outside_range", tokens=theirs, low=low, high=high))
    return notes
