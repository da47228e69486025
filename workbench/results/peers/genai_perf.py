"""GenAI-Perf's `profile_export_genai_perf.json`: one run, a block of figures for each metric."""

from collections.abc import Mapping
from typing import Any

from workbench.base import message
from workbench.results.objectives import Objectives
from workbench.results.peers.metric_blocks import block, has_blocks, scalar, seconds
from workbench.results.peers.peer_run import PeerCounts, PeerRun, ResultFields

TOOL = "GenAI-Perf"
_STATED = {
    "ttft_ms": "time_to_first_token",
    "tpot_ms": "inter_token_latency",
    "e2e_ms": "request_latency",
}
"""Our series by its names. Its ITL is a request's mean, (latency - TTFT)/(tokens - 1): our TPOT."""
_OWN_SETTINGS = ("perf_analyzer", "service_kind", "formatted_model_name", "subcommand", "artifact_dir")
"""Settings that only GenAI-Perf stores; the first in newer versions, the others in older ones."""


def matches(content: Mapping[str, Any]) -> bool:
    """Return whether these are metric blocks with GenAI-Perf's settings and without a version of AIPerf."""
    asked = content.get("input_config")
    own = isinstance(asked, Mapping) and any(name in asked for name in _OWN_SETTINGS)
    return has_blocks(content) and own and "aiperf_version" not in content


def runs(content: Mapping[str, Any], where: str, objectives: Objectives) -> list[PeerRun]:
    """Return the one run of a file.

    Raises:
        Refusal: a field or unit of another kind, or a field that all results have is missing.
    """
    del objectives
    fields = ResultFields(content, where)
    completed = fields.inner("request_count").needed_count("avg")
    series = {name: block(fields, own, completed) for name, own in _STATED.items()}
    asked = fields.inner("input_config")
    rate, concurrency = _load(asked)
    run = PeerRun(
        tool=TOOL,
        version=fields.text("genai_perf_version"),
        model=_model(asked),
        rate=rate,
        concurrency=None if rate is not None else concurrency,
        # It counts only answered requests: the number of failed ones is unknown.
        counts=PeerCounts(scheduled=None, completed=completed),
        duration_s=seconds(fields, "benchmark_duration"),
        completed_rps=scalar(fields, "request_throughput"),
        output_tok_s=scalar(fields, "output_token_throughput"),
        series={name: found for name, found in series.items() if found is not None},
        differs=[
            message("peers.from_the_send"),
            message("peers.itl_is_a_mean"),
            message("peers.counts_tokens_anew"),
            message("peers.failures_unknown"),
        ],
    )
    return [run]


def _load(asked: ResultFields) -> tuple[float | None, int | None]:
    """Return the rate and concurrency asked for; older versions keep them among all settings."""
    for fields in (asked.inner("perf_analyzer", "stimulus"), asked):
        found = fields.number("request_rate"), fields.count("concurrency")
        if found != (None, None):
            return found
    return None, None


def _model(asked: ResultFields) -> str | None:
    """Return the model, alone or the first of a list."""
    for name in ("model", "model_names"):
        given = asked.content.get(name)
        if isinstance(given, list) and given:
            return given[0] if isinstance(given[0], str) else None
        if isinstance(given, str) and given:
            return given
    return asked.text("formatted_model_name")
