"""The periodic line of vLLM's log: throughput since the last one, gauges of the last step."""

import asyncio
import contextlib
import os

from workbench.engine.server import announce
from workbench.engine.server.link import EngineGone, EngineLink
from workbench.engine.server.settings import Settings
from workbench.vllm_dialect import log

_DEFAULT_INTERVAL_S = 10.0


def _interval() -> float:
    """Return `VLLM_LOG_STATS_INTERVAL` in wall seconds, as in vLLM."""
    with contextlib.suppress(ValueError):
        return max(0.1, float(os.environ.get("VLLM_LOG_STATS_INTERVAL", _DEFAULT_INTERVAL_S)))
    return _DEFAULT_INTERVAL_S


async def report_stats(settings: Settings, link: EngineLink) -> None:
    """Print the line every interval while requests run, and once after them.

    Rates are tokens in a simulated second.
    """
    if not settings.log_stats:
        return
    interval = _interval()
    last, was_busy = (0, 0), False
    while True:
        await asyncio.sleep(interval)
        try:
            told = await link.query("metrics")
        except EngineGone:
            return
        totals = (told["prompt_tokens"], told["generation_tokens"])
        seconds = interval * settings.time_scale
        prompt_rate, generation_rate = (
            (now - before) / seconds for now, before in zip(totals, last, strict=True)
        )
        busy = bool(prompt_rate or generation_rate)
        if busy or was_busy:
            announce.say(
                log.stats_line(
                    prompt_tok_s=prompt_rate,
                    generation_tok_s=generation_rate,
                    running=told["running"],
                    waiting=told["waiting"],
                    kv_usage=told["kv_usage"],
                    hit_rate=told["prefix_hits"] / told["prefix_queries"] if told["prefix_queries"] else 0.0,
                )
            )
        last, was_busy = totals, busy
