"""A run's figures as text, and its requests as CSV."""

import csv
import io
from collections.abc import Sequence

from workbench.base import message
from workbench.experiments import Measured
from workbench.load import Calibration, Resolution, TokenizerCost, path_not_measured
from workbench.results import Distribution, QueueFigures, RequestRecord, RunSummary, remedies
from workbench.vllm_dialect import first_version_with, version_has

STAMPS = ("due", "released", "sent", "first_token", "last_token", "done")
_COLUMNS = (
    "request_id", "index", "row", "phase", "cls", "session_id", "turn", "input_tokens", "output_tokens",
    *(f"{stamp}_s" for stamp in STAMPS), "connect_ms", "outcome", "finish_reason", "status", "error",
    "prompt_tokens", "completion_tokens", "tokens", "token_source", "queue_ms", "prefill_ms", "retries",
    "input_mode",
)  # fmt: skip


def per_request_csv(records: Sequence[RequestRecord]) -> str:
    """Return one line per request, by index; stamps in wall seconds from the schedule's start."""
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


def summary_text(measured: Measured, floor: Resolution | None, url: str | None = None) -> str:
    """Return the figures in a few lines; `floor` is the client's resolution to `url`, if known."""
    summary = measured.summary
    counts = summary.requests
    outcomes = ("scheduled", "completed", "failed", "rejected", "timed_out", "cancelled", "unfinished")
    said = ", ".join(f"{getattr(counts, name)} {name.replace('_', ' ')}" for name in outcomes)
    offered, completed = _number(summary.offered_rps), _number(summary.completed_rps)
    output = _number(summary.output_tok_s)
    lines = [
        f"requests   {said}",
        f"rates      offered {offered} req/s, completed {completed} req/s, output {output} tok/s",
        *_latencies(summary, measured.vllm_version),
    ]
    running, waiting = _number(summary.running_max), _number(summary.waiting_max)
    preemptions, peak = _number(summary.preemptions), _number(summary.kv_peak)
    lines.append(
        f"server     running at most {running}, waiting at most {waiting}, KV peak {peak}, "
        f"preemptions {preemptions}"
    )
    if measured.server_notes:
        lines.append(f"           {'; '.join(map(str, measured.server_notes))}")
    lines += [f"           {note}" for note in summary.notes]
    if measured.host_others_cpu is not None:
        lines.append(f"machine    other processes took {measured.host_others_cpu:.0%} of the usable cores")
    if summary.prefix_hit is not None:
        lines.append(f"cache      {summary.prefix_hit:.1%} of prompt tokens were found in the prefix cache")
    if summary.diverging:
        lines.append("diverging  the server can't hold this rate: its percentiles depend on the run's length")
    lines += [f"trace      {note}" for note in measured.notes]
    lines += [*_resent(measured.records), *_replayed(measured), *floor_lines(floor, summary, url)]
    lines.append("valid" if summary.valid else "INVALID    " + "; ".join(summary.reasons))
    lines += [f"try        {remedy}" for remedy in remedies(summary.reason_messages)]
    return "\n".join(lines)


def _latencies(summary: RunSummary, version: str | None) -> list[str]:
    lines = [f"latency    {'':14}{'p50':>10}{'p95':>10}{'p99':>10}  ms"]
    for name, title in (
        ("ttft_ms", "TTFT"),
        ("itl_ms", "ITL"),
        ("tpot_ms", "TPOT"),
        ("e2e_ms", "E2E"),
        ("queue_ms", "queue"),
        ("client_delay_ms", "client delay"),
    ):
        values = getattr(summary, name)
        told = _queue(values, version) if name == "queue_ms" else _distribution(values)
        lines.append(f"           {title:<14}{told}")
    return lines


def resent(records: Sequence[RequestRecord]) -> tuple[int, int]:
    """Return the number of requests sent again, and of all retries."""
    again = [record.retries for record in records if record.phase == "measured" and record.retries]
    return len(again), sum(again)


def _resent(records: Sequence[RequestRecord]) -> list[str]:
    requests, times = resent(records)
    if not requests:
        return []
    return [f"retries    {requests} requests were sent again, {times} times in all; latencies count all"]


def _replayed(measured: Measured) -> list[str]:
    if not measured.real_texts:
        return []
    return [
        f"prompts    {measured.real_texts} rows' own text, held in memory only; other prompts are invented"
    ]


def floor_lines(floor: Resolution | None, summary: RunSummary, url: str | None = None) -> list[str]:
    """Return the client's measurement resolution, and a warning if the run exceeded its limit."""
    if floor is None:
        return ["client     not calibrated: measure --calibrate says what differences this machine resolves"]
    ttft, itl = _number(floor.ttft_floor_ms), _number(floor.itl_floor_ms)
    to = "" if floor.path is None else f" to {floor.path}"
    lines = [f"client     resolves {ttft} ms of TTFT, {itl} ms of ITL (calibrated{to} {floor.utc[:10]})"]
    lines += [] if floor.path_ms is None else [f"           {_adds(floor.path_ms)}"]
    host = path_not_measured(floor, url)
    if host is not None:
        lines.append(f"           of this machine alone: the path to {host} is not in it")
    rate = (summary.output_tok_s or 0.0) * summary.time_scale
    if rate > floor.limit_tokens_per_s:
        limit = f"{floor.limit_tokens_per_s:,.0f}"
        lines.append(f"           and was calibrated up to {limit} tokens/s; this run had {rate:,.0f}")
    return lines


def calibration_text(found: Calibration) -> str:
    """Return this client's measurement resolution and highest rate; if no rate held, the reason."""
    lines = [
        f"{'tokens/s':>10}{'requests':>10}{'TTFT error p99':>17}{'late: client':>15}{'null server':>14}  ms"
    ]
    lines += [
        f"{level.tokens_per_s:>10,.0f}{level.requests:>10}{_number(level.ttft_error_p99_ms):>17}"
        f"{_number(level.client_delay_p99_ms):>15}{_number(level.server_late_p99_ms):>14}"
        f"{'' if level.holds else '  too much'}"
        for level in found.levels
    ]
    if not found.limit_tokens_per_s:
        return "\n".join([*lines, _nothing_held(found), *_unsteady(found)])
    processes = "one load process" if found.workers == 1 else f"{found.workers} load processes"
    limit = f"{found.limit_tokens_per_s:,.0f} output tokens/s with {processes}"
    ttft, itl = _number(found.ttft_floor_ms), _number(found.itl_floor_ms)
    lines += [
        f"this client holds up to {limit}: {_LIMITS[found.limited_by]}",
        f"differences below {ttft} ms of TTFT and {itl} ms of ITL may be the client's own",
    ]
    if found.path_ms is not None:
        lines.append(_adds(found.path_ms))
    if found.cpu_us_per_token is not None:
        lines.append(f"it takes {found.cpu_us_per_token:.1f} µs of CPU a token")
    return "\n".join([*lines, *_unsteady(found)])


def _adds(path_ms: float) -> str:
    return f"the path to the server adds {_number(path_ms)} ms to every TTFT: no error, and not taken off"


def _unsteady(found: Calibration) -> list[str]:
    """Return a note on a rate that held above the limit, so that something else made the lower one late."""
    if any(level.tokens_per_s > found.limit_tokens_per_s and level.holds for level in found.levels):
        return ["higher rates held: this machine is busy meanwhile; try again when it is quiet"]
    return []


_LIMITS = {
    "nothing": "the highest rate tried",
    "client": "above that its own times are late",
    "null server": "above that the null server itself was late, so the client may hold more",
}


def _nothing_held(found: Calibration) -> str:
    least = f"not even {found.levels[0].tokens_per_s:,.0f} output tokens/s held"
    if found.limited_by != "null server":
        return f"this client is too slow or too busy to measure with: {least}; end other work and try again"
    if found.remote:
        return f"the null server itself was late: {least}; try again when its machine is quiet"
    return (
        "this machine is too busy to calibrate: the null server itself was late; try again when it is quiet"
    )


def tokenizer_text(cost: TokenizerCost) -> str:
    """Return the extra cost of a text prompt over token ids."""
    verdict = "not comparable: the prompts of both modes aren't known to be equally long"
    if cost.comparable:
        verdict = (
            f"the tokeniser takes about {_number(cost.cost_ms)} ms a request; prompts as ids are spared it"
        )
    lines = [f"TTFT of one request at a time, median of {cost.requests} each:"]
    for mode, ttft, tokens in (
        ("ids", cost.ids_ttft_ms, cost.ids_prompt_tokens),
        ("text", cost.text_ttft_ms, cost.text_prompt_tokens),
    ):
        lines.append(f"  prompt as {mode:<5}{_number(ttft):>8} ms  {_tokens(tokens)}")
    return "\n".join([*lines, verdict])


def _tokens(count: float | None) -> str:
    return "prompt tokens unknown" if count is None else f"{count:,.0f} prompt tokens"


def _distribution(values: Distribution) -> str:
    """Return a distribution; a percentile among unfinished requests is marked as a lower bound."""
    bounds = {q: "≥ " if q in values.at_least else "" for q in ("p50", "p95", "p99")}
    return "".join(f"{bound + _number(getattr(values, q)):>10}" for q, bound in bounds.items())


def _queue(queue: QueueFigures, version: str | None) -> str:
    """Return queue time as a distribution, or as a histogram's bucket with a way to exact figures."""
    if queue.source is None:
        return f"{_distribution(queue)}   the server reports none"
    if queue.source != "histogram" or queue.lo is None:
        return _distribution(queue)
    p95 = f"≥ {_number(queue.lo)}" if queue.hi is None else f"{_number(queue.lo)}–{_number(queue.hi)}"
    note = f"by the server's histogram; {_exact_queue_times(version)}"
    return f"{'–':>10}{p95:>10}{'–':>10}   mean {_number(queue.mean)}, {note}"


def _exact_queue_times(version: str | None) -> str:
    """Return how to get exact queue times from this vLLM, if it has them."""
    flag = "--enable-per-request-metrics"
    if version_has("flag", flag, version) is False:
        return str(
            message(
                "cli.queue_exact_since",
                version=version,
                since=first_version_with("flag", flag),
                flag=flag,
            )
        )
    return str(message("cli.queue_exact_with", flag=flag))


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
