"""What was seen, in sentences: each variant against the baseline at the same rate."""

from typing import Any

from workbench.results import BenchFile, scorecard_rows

ALIKE = 0.02
"""Rates within 2 % and latencies within 10 % are called alike; the intervals of repeats say more."""
ALIKE_LATENCY = 0.10
Cells = dict[str, Any]


def tell(bench: BenchFile) -> list[str]:
    """One sentence for each variant that was compared with its baseline."""
    rows = [row.cells for row in scorecard_rows(bench)]
    baselines = {_pace(row): row for row in rows if not row.get("control")}
    sentences = []
    for row in rows:
        baseline = baselines.get(_pace(row))
        if row.get("control") and baseline is not None:
            sentences.append(compare(baseline, row))
    return sentences


def _pace(row: Cells) -> tuple[Any, Any]:
    return row.get("rate"), row.get("concurrency")


def compare(baseline: Cells, variant: Cells) -> str:
    """What changed when one control did."""
    control, value = variant["control"], _plain(variant["value"])
    opening = f"{control} {_plain(variant.get('old_value'))} → {value}"
    if variant.get("completed_rps") is None or baseline.get("completed_rps") is None:
        return f"{opening}: no conclusion, a run failed."
    if variant.get("valid") is False or baseline.get("valid") is False:
        return f"{opening}: no conclusion, a run is invalid."
    changes = [change for change in (_rate(baseline, variant), *_latencies(baseline, variant)) if change]
    if not changes:
        return f"{opening}: no difference that a single run can show."
    return f"{opening}: {', '.join(changes)}{_verdict(baseline, variant)}."


def _rate(baseline: Cells, variant: Cells) -> str | None:
    before, after = baseline.get("completed_rps"), variant.get("completed_rps")
    if not before or after is None:
        return None
    if abs(after - before) <= ALIKE * before:
        return f"completes as much ({after:.1f} req/s)"
    return f"completes {before:.1f} → {after:.1f} req/s"


def _latencies(baseline: Cells, variant: Cells) -> list[str]:
    changes = []
    for key, title in (("ttft_p95_ms", "TTFT"), ("itl_p95_ms", "ITL")):
        before, after = baseline.get(key), variant.get(key)
        if before and after and abs(after - before) > ALIKE_LATENCY * before:
            changes.append(f"p95 {title} {_duration(before)} → {_duration(after)}")
    return changes


def _verdict(baseline: Cells, variant: Cells) -> str:
    was, now_is = bool(baseline.get("diverging")), bool(variant.get("diverging"))
    if was and not now_is:
        return "; the queue no longer grows"
    if was and now_is:
        return "; the queue still grows"
    return "; now the queue grows" if now_is else ""


def _duration(milliseconds: float) -> str:
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.3g} s"
    return f"{milliseconds:.3g} ms"


def _plain(value: Any) -> str:
    if value is None:
        return "default"
    return str(value).lower() if isinstance(value, bool) else str(value)
