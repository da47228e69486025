"""A run's figures as text, and its requests as CSV."""

import csv
import io
from collections.abc import Sequence

from workbench.results import Distribution, RequestRecord, RunSummary

STAMPS = ("due", "released", "sent", "first_token", "last_token", "done")
_COLUMNS = (
    "request_id", "index", "row", "phase", "cls", "session_id", "turn", "input_tokens", "output_tokens",
    *(f"{stamp}_s" for stamp in STAMPS), "connect_ms", "outcome", "finish_reason", "status", "error",
    "prompt_tokens", "completion_tokens", "tokens", "token_source", "queue_ms", "prefill_ms", "retries",
    "input_mode",
)  # fmt: skip


def per_request_csv(records: Sequence[RequestRecord]) -> str:
    """One line a request, by index; stamps in wall seconds from the schedule's start, empty where unknown."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for record in sorted(records, key=lambda each: (each.phase != "warmup", each.index)):
        writer.writerow([_cell(record, column) for column in _COLUMNS])
    return text.getvalue()


def _cell(record: RequestRecord, column: str) -> object:
    stamp = column.removesuffix("_s")
    value = getattr(record, stamp if stamp in STAMPS else column)
    if value is None:
        return ""
    return f"{value:.6f}" if isinstance(value, float) else value


def summary_text(summary: RunSummary) -> str:
    """The figures in a few lines."""
    counts = summary.requests
    outcomes = ("scheduled", "completed", "failed", "rejected", "timed_out", "cancelled", "unfinished")
    said = ", ".join(f"{getattr(counts, name)} {name.replace('_', ' ')}" for name in outcomes)
    offered, completed = _number(summary.offered_rps), _number(summary.completed_rps)
    output = _number(summary.output_tok_s)
    lines = [
        f"requests   {said}",
        f"rates      offered {offered} req/s, completed {completed} req/s, output {output} tok/s",
        f"latency    {'':14}{'p50':>10}{'p95':>10}{'p99':>10}  ms",
    ]
    for name, title in (
        ("ttft_ms", "TTFT"),
        ("itl_ms", "ITL"),
        ("tpot_ms", "TPOT"),
        ("e2e_ms", "E2E"),
        ("queue_ms", "queue"),
        ("client_delay_ms", "client delay"),
    ):
        lines.append(f"           {title:<14}{_distribution(getattr(summary, name))}")
    running, waiting = _number(summary.running_max), _number(summary.waiting_max)
    preemptions, peak = _number(summary.preemptions), _number(summary.kv_peak)
    lines.append(
        f"server     running at most {running}, waiting at most {waiting}, KV peak {peak}, "
        f"preemptions {preemptions}"
    )
    if summary.prefix_hit is not None:
        lines.append(f"cache      {summary.prefix_hit:.1%} of prompt tokens were found in the prefix cache")
    if summary.diverging:
        lines.append("diverging  the server can't hold this rate: its percentiles depend on the run's length")
    lines.append("valid" if summary.valid else "INVALID    " + "; ".join(summary.reasons))
    return "\n".join(lines)


def _distribution(values: Distribution) -> str:
    return "".join(f"{_number(getattr(values, q)):>10}" for q in ("p50", "p95", "p99"))


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
