"""`vllm bench serve --save-result`: one JSON object a run (vLLM 0.32, `vllm/benchmarks/serve.py`)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from workbench.base import InputError
from workbench.results.peers.fields import Fields
from workbench.results.peers.peer_run import PeerCounts, PeerRun, stated
from workbench.results.percentiles import Distribution, distribution

TOOL = "vllm bench serve"
_STATED = {
    "ttft_ms": "ttft",
    "event_gap_ms": "itl",
    "tpot_ms": "tpot",
    "e2e_ms": "e2el",
    "admission_wait_ms": "client_queue_time",
}
"""Our series by its name for them; its `itl` is the gap between events."""
_DIFFERS = (
    "TTFT and E2E count from the send, after the wait for max_concurrency, not from due",
    "its ITL is the gap between events, here event_gap_ms",
    "rates are over the time from the first request's start to the last one's end, drain included",
)
_ARRAYS = ("ttfts", "itls", "latencies", "output_lens", "errors")


def matches(content: Mapping[str, Any]) -> bool:
    """By keys that only its results have together."""
    return "request_throughput" in content and ("endpoint_type" in content or "tokenizer_id" in content)


def runs(content: Mapping[str, Any], where: str) -> list[PeerRun]:
    """The one run of an object.

    Raises:
        InputError: a field of another kind, or one that all results have is missing.
    """
    fields = Fields(content, where)
    completed = fields.needed_count("completed")
    rate = content.get("request_rate")
    series = {name: _stated(fields, own, completed) for name, own in _STATED.items()}
    series |= _from_arrays(fields)
    differs = list(_DIFFERS)
    if "itl_ms" not in series:
        differs.append("tokens an event are not known, so ITL a token is empty")
    duration = fields.number("duration")
    total_in = fields.number("total_input_tokens")
    run = PeerRun(
        tool=TOOL,
        model=fields.text("model_id"),
        label=fields.text("label"),
        rate=None if isinstance(rate, str) else fields.number("request_rate"),
        concurrency=fields.count("max_concurrency"),
        counts=PeerCounts(
            scheduled=fields.needed_count("num_prompts"), completed=completed, failed=fields.count("failed")
        ),
        duration_s=duration,
        completed_rps=fields.number("request_throughput"),
        output_tok_s=fields.number("output_throughput"),
        input_tok_s=total_in / duration if total_in is not None and duration else None,
        series={name: found for name, found in series.items() if found is not None},
        differs=differs,
    )
    return [run]


def _stated(fields: Fields, own: str, completed: int) -> Distribution | None:
    figures = {
        "mean": fields.number(f"mean_{own}_ms"),
        "p50": fields.number(f"median_{own}_ms"),
        **{f"p{q}": fields.number(f"p{q}_{own}_ms") for q in (90, 95, 99)},
    }
    return None if all(value is None for value in figures.values()) else stated(completed, figures)


def _from_arrays(fields: Fields) -> dict[str, Distribution]:
    """All percentiles, where `--save-detailed` kept every request; a failed one's zeros are left out."""
    if not all(fields.content.get(name) for name in _ARRAYS):
        return {}
    good = [not error for error in fields.items("errors")]
    columns = {name: fields.numbers(name) for name in ("ttfts", "latencies", "output_lens")}
    gaps = [Fields({"itls": each}, fields.where).numbers("itls") for each in fields.items("itls")]
    lengths = {**{name: len(values) for name, values in columns.items()}, "itls": len(gaps)}
    for name, length in lengths.items():
        if length != len(good):
            raise InputError(f"{fields.where}: {name} has {length} entries, errors has {len(good)}")
    ttft, latency, tokens = (np.array(values)[good] for values in columns.values())
    kept = [each for each, fine in zip(gaps, good, strict=True) if fine]
    found = {"ttft_ms": distribution(ttft * 1e3), "e2e_ms": distribution(latency * 1e3)}
    several = tokens >= 2
    found["tpot_ms"] = distribution((latency - ttft)[several] / (tokens[several] - 1) * 1e3)
    found["event_gap_ms"] = _pooled(kept)
    if all(len(each) + 1 == count for each, count in zip(kept, tokens.tolist(), strict=True)):
        found["itl_ms"] = found[
            "event_gap_ms"
        ]  # one token an event: a gap between events is one between tokens
    return found


def _pooled(gaps: Sequence[Sequence[float]]) -> Distribution:
    pooled = np.array([gap for each in gaps for gap in each], np.float64)
    return distribution(pooled * 1e3, requests=sum(bool(each) for each in gaps))
