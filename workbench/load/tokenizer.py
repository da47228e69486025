"""Cost of the server's tokenizer and chat template, which prompts as token ids skip."""

import asyncio

import msgspec
import numpy as np

from workbench.base import WorkFailure, message
from workbench.load.options import LoadOptions
from workbench.load.run import run_load
from workbench.load.target import Target
from workbench.results.run_records import RequestRecord
from workbench.traces import closed_loop, synthetic_trace

_ROUNDS = ("ids", "text", "text", "ids")
"""Each mode as often early as late, so that drift falls on both alike."""
_MOST_DIFFERENCE = 0.05


class TokenizerCost(msgspec.Struct, frozen=True, kw_only=True):
    """TTFT of one request at a time, prompt as ids and as text; milliseconds, medians."""

    ids_ttft_ms: float
    text_ttft_ms: float
    cost_ms: float
    """Text less ids."""
    ids_prompt_tokens: float | None
    text_prompt_tokens: float | None
    """As the server counted; None where it doesn't."""
    comparable: bool
    """Prompts of both modes are within a twentieth of the same length."""
    requests: int
    """Requests of each mode."""


async def tokenizer_cost(
    target: Target,
    options: LoadOptions,
    *,
    input_tokens: int = 2000,
    requests: int = 20,
    stop: asyncio.Event | None = None,
) -> TokenizerCost:
    """Send `requests` of each mode on completions, in the order ids, text, text, ids, one at a time.

    Prompts are unique, so that no prefix cache helps either.

    Raises:
        Refusal: the target can't be reached or used.
        WorkFailure: it answered too few of them.
    """
    target = msgspec.structs.replace(target, endpoint="completions")
    heard: dict[str, list[RequestRecord]] = {"ids": [], "text": []}
    each = max(1, requests // 2)
    trace = synthetic_trace(input_tokens, 1, each)
    for number, mode in enumerate(_ROUNDS):
        if number and not any(record.first_token for part in heard.values() for record in part):
            break  # it answers nothing, or was stopped
        mine = msgspec.structs.replace(
            options, input_mode=mode, seed=options.seed + 1 + number, workers=1, warmup_s=0.0, time_scale=1.0
        )
        schedule = closed_loop(trace, concurrency=1, requests=each)
        await run_load(
            target,
            trace,
            schedule,
            mine,
            on_records=heard[mode].extend,
            on_snapshot=lambda _: None,
            stop=stop,
        )
    return _compare(target, heard["ids"], heard["text"])


def _compare(target: Target, ids: list[RequestRecord], text: list[RequestRecord]) -> TokenizerCost:
    ttft = [_median([(r.first_token - r.due) * 1e3 for r in part if r.first_token]) for part in (ids, text)]
    if ttft[0] is None or ttft[1] is None:
        error = next((record.error for record in (*ids, *text) if record.error), None)
        raise WorkFailure(
            "load.no_first_token", url=target.url, error=error or message("load.stopped_by_user")
        )
    tokens = [_median([r.prompt_tokens for r in part if r.prompt_tokens]) for part in (ids, text)]
    return TokenizerCost(
        ids_ttft_ms=ttft[0],
        text_ttft_ms=ttft[1],
        cost_ms=ttft[1] - ttft[0],
        ids_prompt_tokens=tokens[0],
        text_prompt_tokens=tokens[1],
        comparable=_alike(*tokens),
        requests=min(len(ids), len(text)),
    )


def _alike(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and abs(other / one - 1) <= _MOST_DIFFERENCE


def _median(values: list[float] | list[int]) -> float | None:
    return float(np.median(values)) if values else None
