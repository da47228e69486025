"""AIPerf's `profile_export_aiperf.json`: one run, a block of figures for each metric."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from workbench.base import message
from workbench.results.objectives import Objectives
from workbench.results.peers.metric_blocks import block, has_blocks, scalar, seconds
from workbench.results.peers.peer_run import PeerCounts, PeerRun, ResultFields

TOOL = "AIPerf"
_STATED = {
    "ttft_ms": "time_to_first_token",
    "tpot_ms": "inter_token_latency",
    "event_gap_ms": "inter_chunk_latency",
    "e2e_ms": "request_latency",
    "client_delay_ms": "credit_to_start_latency",
}
"""Our series by its names. Its ITL is a request's mean, (latency - TTFT)/(tokens - 1): our TPOT."""
_DIFFERS = (
    message("peers.from_the_send_in_worker"),
    message("peers.itl_is_a_mean"),
    message("peers.counts_tokens_unless_asked"),
    message("peers.late_left_out"),
)
_SAME_COUNT = 0.01


def matches(content: Mapping[str, Any]) -> bool:
    """Return whether these are metric blocks with its tags."""
    return has_blocks(content)


def runs(content: Mapping[str, Any], where: str, objectives: Objectives) -> list[PeerRun]:
    """Return the one run of a file.

    Raises:
        Refusal: a field or unit of another kind, or a field that all results have is missing.
    """
    del objectives
    fields = ResultFields(content, where)
    completed = fields.inner("request_count").needed_count("avg")
    failed = _failed(fields)
    asked = fields.inner("input_config")
    rate, concurrency = _load(asked)
    differs, usage_tokens = list(_DIFFERS), _usage_if_other(fields)
    if failed is None:
        differs.append(message("peers.failures_unknown"))
    series = {name: block(fields, own, completed) for name, own in _STATED.items()}
    duration = seconds(fields, "benchmark_duration")
    output = scalar(fields, "output_token_throughput")
    if usage_tokens is not None:
        counted = scalar(fields, "total_output_tokens")
        differs.append(message("peers.other_token_count", counted=counted, usage=usage_tokens))
        output, series["tpot_ms"] = usage_tokens / duration if duration else None, None
    run = PeerRun(
        tool=TOOL,
        version=fields.text("aiperf_version"),
        model=_model(asked),
        label=fields.inner("run_info").text("run_label"),
        started_utc=_utc(fields.text("start_time")),
        rate=rate,
        concurrency=None if rate is not None else concurrency,
        counts=PeerCounts(
            scheduled=None if failed is None else completed + failed, completed=completed, failed=failed
        ),
        duration_s=duration,
        completed_rps=scalar(fields, "request_throughput"),
        output_tok_s=output,
        series={name: found for name, found in series.items() if found is not None},
        differs=differs,
    )
    return [run]


def _failed(fields: ResultFields) -> int | None:
    """Return the failed requests: its own count, else the sum of its error summary; None: neither."""
    stated = fields.inner("error_request_count").count("avg")
    if stated is not None or fields.content.get("error_summary") is None:
        return stated
    counts = [each.count("count") for each in fields.each("error_summary")]
    return None if None in counts else sum(count or 0 for count in counts)


def _usage_if_other(fields: ResultFields) -> float | None:
    """Return the server's count of output tokens if the client counted another number."""
    usage, counted = (scalar(fields, tag) for tag in ("total_usage_completion_tokens", "total_output_tokens"))
    other = usage and counted is not None and abs(usage - counted) > _SAME_COUNT * usage
    return usage if other else None


def _load(asked: ResultFields) -> tuple[float | None, int | None]:
    """Return the rate and concurrency asked for; reports before 0.12 keep them under `loadgen`."""
    phases = [phase for phase in asked.each("phases") if phase.text("kind") in (None, "profiling")]
    for fields, rate in (*((phase, "rate") for phase in phases), (asked.inner("loadgen"), "request_rate")):
        found = fields.number(rate), fields.count("concurrency")
        if found != (None, None):
            return found
    return None, None


def _model(asked: ResultFields) -> str | None:
    models = asked.content.get("models")
    listed = asked.inner("models").each("items") if isinstance(models, Mapping) else []
    older = asked.inner("endpoint").content.get("model_names")
    first = older[0] if isinstance(older, list) and older else None
    return listed[0].text("name") if listed else first if isinstance(first, str) else None


def _utc(text: str | None) -> str | None:
    """Return a time with its zone in UTC; None without a zone."""
    try:
        moment = datetime.fromisoformat(text or "")
        return moment.astimezone(UTC).isoformat().replace("+00:00", "Z") if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
