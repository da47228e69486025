"""`vllm bench serve --save-result`: one JSON object for each run (vLLM 0.32, `vllm/benchmarks/serve.py`)."""

from collections.abc import Mapping
from typing import Any

from workbench.base import message
from workbench.results.objectives import Objectives
from workbench.results.peers.peer_run import PeerCounts, PeerRun, ResultFields, stated_distribution
from workbench.results.peers.vllm_requests import VllmRequests, read_requests
from workbench.results.percentiles import Distribution

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
    message("peers.from_the_send_after_cap"),
    message("peers.itl_is_event_gap"),
    message("peers.rates_with_drain"),
)


def matches(content: Mapping[str, Any]) -> bool:
    """Return whether the object has keys that only its results have together."""
    return "request_throughput" in content and ("endpoint_type" in content or "tokenizer_id" in content)


def runs(content: Mapping[str, Any], where: str, objectives: Objectives) -> list[PeerRun]:
    """Return the one run of an object.

    Raises:
        Refusal: a field of another kind, or one that all results have is missing.
    """
    fields = ResultFields(content, where)
    completed = fields.needed_count("completed")
    requests = read_requests(fields)
    stated_series = {name: _stated(fields, own, completed) for name, own in _STATED.items()}
    series = {name: found for name, found in stated_series.items() if found is not None}
    if requests is not None:
        series |= requests.series()
    differs = list(_DIFFERS)
    if "itl_ms" not in series:
        differs.append(message("peers.itl_empty"))
    if requests is not None and requests.completed != completed:
        differs.append(message("peers.counts_differ", stated=completed, counted=requests.completed))
    if requests is not None and requests.empty:
        differs.append(message("peers.empty_answers", count=requests.empty))
    duration = fields.number("duration")
    total_in = fields.number("total_input_tokens")
    rate = fields.content.get("request_rate")
    run = PeerRun(
        tool=TOOL,
        model=fields.text("model_id"),
        label=fields.text("label"),
        rate=None if isinstance(rate, str) else fields.number("request_rate"),
        concurrency=fields.count("max_concurrency"),
        counts=_counts(fields, completed, requests),
        duration_s=duration,
        completed_rps=_completed_rps(fields, completed, requests),
        output_tok_s=fields.number("output_throughput"),
        input_tok_s=total_in / duration if total_in is not None and duration else None,
        accepted=None if requests is None else requests.accepted(objectives),
        drift=None if requests is None or isinstance(rate, str) else requests.drift(),
        series=series,
        tokens={} if requests is None else requests.token_counts(),
        differs=differs,
    )
    return [run]


def _counts(fields: ResultFields, completed: int, requests: VllmRequests | None) -> PeerCounts:
    """Return the counts; older results have no number of failures, so the requests are counted."""
    if requests is None:
        return PeerCounts(
            scheduled=fields.needed_count("num_prompts"), completed=completed, failed=fields.count("failed")
        )
    good = requests.completed
    return PeerCounts(scheduled=len(requests), completed=good, failed=len(requests) - good)


def _completed_rps(fields: ResultFields, completed: int, requests: VllmRequests | None) -> float | None:
    """Return its own rate, unless it counted other requests as completed than ours."""
    duration = fields.number("duration")
    if requests is None or requests.completed == completed or not duration:
        return fields.number("request_throughput")
    return requests.completed / duration


def _stated(fields: ResultFields, own: str, completed: int) -> Distribution | None:
    figures = {
        "mean": fields.number(f"mean_{own}_ms"),
        "p50": fields.number(f"median_{own}_ms"),
        **{f"p{q}": fields.number(f"p{q}_{own}_ms") for q in (90, 95, 99)},
    }
    # It writes 0 for unmeasured figures, such as the gaps of answers of one token.
    return stated_distribution(completed, figures) if completed and any(figures.values()) else None
