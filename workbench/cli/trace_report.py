"""The figures of `trace inspect`, as JSON and as a table to read."""

from typing import Any

import msgspec

from workbench.traces import Imported, Trace, pool_hit_tokens, summarise_latency, summarise_trace

_PEAK_S = 10.0
_PER_REQUEST = "per-request"
"""The format of our own requests read back."""


def inspection(imported: Imported, *, seed: int, pool_tokens: int | None = None) -> dict[str, Any]:
    """What `trace inspect --json` writes; unknown is None."""
    report, trace = imported.report, imported.trace
    summary = msgspec.to_builtins(summarise_trace(trace))
    latency = summarise_latency(imported.latency)
    return {
        "format": report.format,
        "source": trace.header.source,
        "rows_read": report.rows_read,
        "rows_kept": report.rows_kept,
        "rows_dropped": dict(report.rows_dropped),
        "warnings": [str(warning) for warning in report.warnings],
        "notes": [str(note) for note in report.notes],
        "trace_sha256": trace.sha256(seed),
        "seed": seed,
        "block_tokens": trace.header.block_tokens,
        "transforms": list(trace.header.transforms),
        **summary,
        "pool_tokens": pool_tokens,
        "prefix_hit_pool": None if pool_tokens is None else _pool_share(trace, pool_tokens),
        "source_latency_not_ours": None if latency is None else msgspec.to_builtins(latency),
    }


def _pool_share(trace: Trace, pool_tokens: int) -> float | None:
    hits = pool_hit_tokens(trace, pool_tokens)
    return None if hits is None else float(hits.sum() / trace.input_length.sum())


def as_table(name: str, figures: dict[str, Any]) -> str:
    """The figures for the eye."""
    lines = [f"{name}: {figures['source']} (format {figures['format']})", *_counts(figures), ""]
    lines += _arrivals(figures)
    lines += ["", *_lengths(figures)]
    latency = figures["source_latency_not_ours"]
    if latency is not None:
        shown = ", ".join(f"{key} {_number(value)}" for key, value in latency.items() if value is not None)
        lines += ["", f"{_measured_by(figures['format'])}: {shown}"]
    lines += [f"note: {note}" for note in figures["notes"]]
    lines += [f"warning: {warning}" for warning in figures["warnings"]]
    lines.append(f"trace_sha256 {figures['trace_sha256']} (seed {figures['seed']})")
    return "\n".join(lines)


def _measured_by(format_: str) -> str:
    """Whose latencies a trace carries: the CSV of `--per-request` holds a run of this program."""
    if format_ == _PER_REQUEST:
        return "measured then, in a run of this program"
    return "measured by the source on its own service (not ours)"


def _counts(figures: dict[str, Any]) -> list[str]:
    dropped = ", ".join(f"{count} {reason}" for reason, count in figures["rows_dropped"].items())
    kept = f"{figures['rows_kept']} of {figures['rows_read']} rows kept"
    sessions = f"; {figures['sessions']} sessions" if figures["sessions"] else ""
    return [kept + (f"; dropped: {dropped}" if dropped else "") + sessions]


def _arrivals(figures: dict[str, Any]) -> list[str]:
    offered = figures["offered"]
    rate, duration = _number(figures["rate_rps"]), _number(figures["duration_s"])
    prompt, output = _number(offered["input_tok_s"]), _number(offered["output_tok_s"])
    # Of a trace without a whole window of 10 s the peak would be below the mean.
    peak = "-" if figures["duration_s"] < _PEAK_S else _number(offered["input_tok_s_peak_10s"])
    cv, second, ten = (_number(figures[name]) for name in ("cv", "iod_1s", "iod_10s"))
    ideal, pool = _percent(figures["prefix_hit_ideal"]), ""
    if figures["pool_tokens"] is not None:
        pool = f", {_percent(figures['prefix_hit_pool'])} in a cache of {figures['pool_tokens']:,} tokens"
    return [
        f"arrivals   {rate} requests/s over {duration} s, up to {offered['requests_peak_1s']} in one second",
        f"burstiness CV {cv} (spread of the gaps between requests: 1 = Poisson, 0 = evenly spaced)",
        f"           IoD {second} at 1 s, {ten} at 10 s (variance of the arrivals in windows of that length,",
        "           over their mean: 1 = Poisson, more = bursts; - where the trace has no two whole windows)",
        f"offered    {prompt} prompt tokens/s (peak {peak} over 10 s), {output} output tokens/s",
        f"prefixes   {ideal} of prompt tokens seen before (infinite cache){pool}",
    ]


def _lengths(figures: dict[str, Any]) -> list[str]:
    columns = f"{'prompt tokens mean/p50/p95/max':<32}output tokens mean/p50/p95/max"
    everything = {**figures, "requests": figures["rows"], "share": 1.0}
    classes = sorted(figures["classes"].items(), key=lambda item: item[1]["input_tokens"]["p50"])
    rows = classes if len(classes) == 1 else [("all", everything), *classes]
    head = f"{'class':<18}{'requests':>9}{'share':>8}   {columns}"
    return [head, *(_row(name, values) for name, values in rows)]


def _row(name: str, values: dict[str, Any]) -> str:
    prompt, output = (
        "/".join(_number(values[kind][figure]) for figure in ("mean", "p50", "p95", "max"))
        for kind in ("input_tokens", "output_tokens")
    )
    return f"{name:<18}{values['requests']:>9}{_percent(values['share']):>8}   {prompt:<32}{output}"


def _number(value: float | None) -> str:
    """Three significant digits, or whole where larger; a dash where unknown."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
