"""The statistics that `trace inspect` prints, as JSON and as a table to read."""

from dataclasses import dataclass
from typing import Any

import msgspec

from workbench.traces import (
    ClassSummary,
    Imported,
    LatencySummary,
    Lengths,
    Trace,
    TraceSummary,
    pool_hit_tokens,
    summarize_latency,
    summarize_trace,
)

_PEAK_S = 10.0
_PER_REQUEST = "per-request"
"""The format of our own requests read back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """An imported trace with its statistics."""

    imported: Imported
    summary: TraceSummary
    latency: LatencySummary | None
    seed: int
    trace_sha256: str
    pool_tokens: int | None
    """Size of the prefix cache to simulate."""
    prefix_hit_pool: float | None


def inspection(imported: Imported, *, seed: int, pool_tokens: int | None = None) -> Inspection:
    """Compute the statistics of an imported trace."""
    trace = imported.trace
    return Inspection(
        imported=imported,
        summary=summarize_trace(trace),
        latency=summarize_latency(imported.latency),
        seed=seed,
        trace_sha256=trace.sha256(seed),
        pool_tokens=pool_tokens,
        prefix_hit_pool=None if pool_tokens is None else _pool_share(trace, pool_tokens),
    )


def as_json(found: Inspection) -> dict[str, Any]:
    """Return the content of `trace inspect --json`; unknown is None."""
    report, header = found.imported.report, found.imported.trace.header
    return {
        "format": report.format,
        "source": header.source,
        "rows_read": report.rows_read,
        "rows_kept": report.rows_kept,
        "rows_dropped": report.rows_dropped,
        "warnings": [str(warning) for warning in report.warnings],
        "notes": [str(note) for note in report.notes],
        "trace_sha256": found.trace_sha256,
        "seed": found.seed,
        "block_tokens": header.block_tokens,
        "transforms": list(header.transforms),
        **msgspec.to_builtins(found.summary),
        "pool_tokens": found.pool_tokens,
        "prefix_hit_pool": found.prefix_hit_pool,
        "source_latency_not_ours": None if found.latency is None else msgspec.to_builtins(found.latency),
    }


def _pool_share(trace: Trace, pool_tokens: int) -> float | None:
    hits = pool_hit_tokens(trace, pool_tokens)
    return None if hits is None else float(hits.sum() / trace.input_length.sum())


def as_table(name: str, found: Inspection) -> str:
    """Return the statistics as a table."""
    report, source = found.imported.report, found.imported.trace.header.source
    lines = [f"{name}: {source} (format {report.format})", _counts(found), ""]
    lines += _arrivals(found)
    lines += ["", *_lengths(found.summary)]
    if found.latency is not None:
        known = msgspec.to_builtins(found.latency).items()
        shown = ", ".join(f"{key} {_number(value)}" for key, value in known if value is not None)
        lines += ["", f"{_measured_by(report.format)}: {shown}"]
    lines += [f"note: {note}" for note in report.notes]
    lines += [f"warning: {warning}" for warning in report.warnings]
    lines.append(f"trace_sha256 {found.trace_sha256} (seed {found.seed})")
    return "\n".join(lines)


def _measured_by(format_: str) -> str:
    """Name the measurer of a trace's latencies: the CSV of `--per-request` holds a run of this program."""
    if format_ == _PER_REQUEST:
        return "measured then, in a run of this program"
    return "measured by the source on its own service (not ours)"


def _counts(found: Inspection) -> str:
    report, sessions = found.imported.report, found.summary.sessions
    dropped = ", ".join(f"{count} {reason}" for reason, count in report.rows_dropped.items())
    kept = f"{report.rows_kept} of {report.rows_read} rows kept"
    return (
        kept + (f"; dropped: {dropped}" if dropped else "") + (f"; {sessions} sessions" if sessions else "")
    )


def _arrivals(found: Inspection) -> list[str]:
    summary = found.summary
    offered = summary.offered
    rate, duration = _number(summary.rate_rps), _number(summary.duration_s)
    prompt, output = _number(offered.input_tok_s), _number(offered.output_tok_s)
    # A trace without a whole window of 10 s would have a peak below the mean.
    peak = "-" if summary.duration_s < _PEAK_S else _number(offered.input_tok_s_peak_10s)
    cv, second, ten = _number(summary.cv), _number(summary.iod_1s), _number(summary.iod_10s)
    ideal, pool = _percent(summary.prefix_hit_ideal), ""
    if found.pool_tokens is not None:
        pool = f", {_percent(found.prefix_hit_pool)} in a cache of {found.pool_tokens:,} tokens"
    return [
        f"arrivals   {rate} requests/s over {duration} s, up to {offered.requests_peak_1s} in one second",
        f"burstiness CV {cv} (spread of the gaps between requests: 1 = Poisson, 0 = evenly spaced)",
        f"           IoD {second} at 1 s, {ten} at 10 s (variance of the arrivals in windows of that length,",
        "           over their mean: 1 = Poisson, more = bursts; - where the trace has no two whole windows)",
        f"offered    {prompt} prompt tokens/s (peak {peak} over 10 s), {output} output tokens/s",
        f"prefixes   {ideal} of prompt tokens seen before (infinite cache){pool}",
    ]


def _lengths(summary: TraceSummary) -> list[str]:
    columns = f"{'prompt tokens mean/p50/p95/max':<32}output tokens mean/p50/p95/max"
    everything = ClassSummary(
        requests=summary.rows,
        share=1.0,
        rate_rps=summary.rate_rps,
        input_tokens=summary.input_tokens,
        output_tokens=summary.output_tokens,
        prefix_hit_ideal=summary.prefix_hit_ideal,
    )
    classes = sorted(summary.classes.items(), key=lambda item: item[1].input_tokens.p50)
    rows = classes if len(classes) == 1 else [("all", everything), *classes]
    head = f"{'class':<18}{'requests':>9}{'share':>8}   {columns}"
    return [head, *(_row(name, each) for name, each in rows)]


def _row(name: str, each: ClassSummary) -> str:
    prompt, output = _tokens(each.input_tokens), _tokens(each.output_tokens)
    return f"{name:<18}{each.requests:>9}{_percent(each.share):>8}   {prompt:<32}{output}"


def _tokens(lengths: Lengths) -> str:
    return "/".join(_number(value) for value in (lengths.mean, lengths.p50, lengths.p95, lengths.max))


def _number(value: float | None) -> str:
    """Round to three significant digits, or to a whole number if larger; a dash if unknown."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
