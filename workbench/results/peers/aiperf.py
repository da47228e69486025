"""AIPerf's `profile_export_aiperf.json`: one run, a block of figures for each metric."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from workbench.base import InputError
from workbench.results.peers.fields import Fields
from workbench.results.peers.peer_run import PeerCounts, PeerRun, stated
from workbench.results.percentiles import Distribution

TOOL = "AIPerf"
_TO_MS = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3, "sec": 1e3, "seconds": 1e3}
_STATED = {
    "ttft_ms": "time_to_first_token",
    "tpot_ms": "inter_token_latency",
    "event_gap_ms": "inter_chunk_latency",
    "e2e_ms": "request_latency",
    "client_delay_ms": "credit_to_start_latency",
}
"""Our series by its names. Its ITL is a request's mean, (latency - TTFT)/(tokens - 1): our TPOT."""
_DIFFERS = (
    "TTFT and E2E count from the send in the worker, not from due",
    "its inter_token_latency is a request's mean gap, here tpot_ms",
    "output tokens are counted anew by the client unless the server's count was asked for",
    "requests behind by more than 10 ms may be left out of the load",
)
_SAME_COUNT = 0.01


def matches(content: Mapping[str, Any]) -> bool:
    """Metric blocks by its tags."""
    latency = content.get("request_latency")
    return isinstance(latency, Mapping) and "avg" in latency and "request_throughput" in content


def runs(content: Mapping[str, Any], where: str) -> list[PeerRun]:
    """The one run of a file.

    Raises:
        InputError: a field or unit of another kind, or a field that all results have is missing.
    """
    fields = Fields(content, where)
    completed = fields.inner("request_count").needed_count("avg")
    failed = fields.inner("error_request_count").count("avg")
    asked = fields.inner("input_config")
    rate, concurrency = _load(asked)
    differs, usage_tokens = list(_DIFFERS), _usage_if_other(fields)
    series = {name: _stated(fields, own, completed) for name, own in _STATED.items()}
    duration = _duration(fields)
    output = _scalar(fields, "output_token_throughput")
    if usage_tokens is not None:
        counted = _scalar(fields, "total_output_tokens")
        differs.append(
            f"it counted {counted:,.0f} output tokens where usage says {usage_tokens:,.0f}: its TPOT"
        )
        differs[-1] += " is left out, its token rate is by usage"
        output, series["tpot_ms"] = usage_tokens / duration if duration else None, None
    run = PeerRun(
        tool=TOOL,
        version=fields.text("aiperf_version"),
        model=_model(asked),
        label=fields.inner("run_info").text("run_label"),
        started_utc=_utc(fields.text("start_time")),
        rate=rate,
        concurrency=None if rate is not None else concurrency,
        counts=PeerCounts(scheduled=completed + (failed or 0), completed=completed, failed=failed or 0),
        duration_s=duration,
        completed_rps=_scalar(fields, "request_throughput"),
        output_tok_s=output,
        series={name: found for name, found in series.items() if found is not None},
        differs=differs,
    )
    return [run]


def _usage_if_other(fields: Fields) -> float | None:
    """The server's own count of output tokens, where the client counted others."""
    usage, counted = (
        _scalar(fields, tag) for tag in ("total_usage_completion_tokens", "total_output_tokens")
    )
    other = usage and counted is not None and abs(usage - counted) > _SAME_COUNT * usage
    return usage if other else None


def _scalar(fields: Fields, tag: str) -> float | None:
    return fields.inner(tag).number("avg")


def _stated(fields: Fields, tag: str, completed: int) -> Distribution | None:
    block = fields.inner(tag)
    if not block.content:
        return None
    unit = _unit(block)
    figures = {
        "mean": block.number("avg", unit=unit),
        **{name: block.number(name, unit=unit) for name in ("p50", "p90", "p95", "p99", "max")},
    }
    # The count of pooled chunks is no number of requests.
    return stated(min(block.count("count") or completed, completed), figures)


def _unit(block: Fields) -> float:
    unit = block.text("unit")
    if unit is None or unit.lower() not in _TO_MS:
        raise InputError(f"{block.where}: unit must be one of {', '.join(_TO_MS)}")
    return _TO_MS[unit.lower()]


def _duration(fields: Fields) -> float | None:
    block = fields.inner("benchmark_duration")
    value = block.number("avg")
    return None if value is None else value * _unit(block) / 1e3


def _load(asked: Fields) -> tuple[float | None, int | None]:
    """Rate and concurrency that were asked for; reports before 0.12 keep them under `loadgen`."""
    phases = [phase for phase in asked.each("phases") if phase.text("kind") in (None, "profiling")]
    for fields, rate in (*((phase, "rate") for phase in phases), (asked.inner("loadgen"), "request_rate")):
        found = fields.number(rate), fields.count("concurrency")
        if found != (None, None):
            return found
    return None, None


def _model(asked: Fields) -> str | None:
    models = asked.content.get("models")
    listed = asked.inner("models").each("items") if isinstance(models, Mapping) else []
    older = asked.inner("endpoint").content.get("model_names")
    first = older[0] if isinstance(older, list) and older else None
    return listed[0].text("name") if listed else first if isinstance(first, str) else None


def _utc(text: str | None) -> str | None:
    """A time with its zone; without one it could be any."""
    try:
        moment = datetime.fromisoformat(text or "")
        return moment.astimezone(UTC).isoformat().replace("+00:00", "Z") if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
