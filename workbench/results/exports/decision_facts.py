"""What a buyer asks besides the answer: on what was it measured, and what does the stated demand cost?"""

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.results.bench.entries import RunEntry
from workbench.results.wording import short

Cells = Mapping[str, Any]
_NAMES = {
    "ttft_p95_ms": "p95 TTFT",
    "itl_p95_ms": "p95 inter-token latency",
    "e2e_p95_ms": "p95 end to end",
    "queue_p95_ms": "p95 queue time",
    "error_rate": "error rate",
    "preemptions": "preemptions",
}


def limit_words(name: str, limit: float) -> str:
    """`p95 TTFT at most 500 ms`, `error rate at most 1 %`."""
    if name == "error_rate":
        return f"{_NAMES[name]} at most {short(100 * limit)} %"
    unit = " ms" if name.endswith("_ms") else ""
    return f"{_NAMES.get(name, name)} at most {short(limit)}{unit}"


def in_words(text: str) -> str:
    """A sentence of checks and verdicts without the names of columns: `p95 TTFT (ms) 47.7 ≤ 1,000`."""
    for name, words in _NAMES.items():
        text = text.replace(name, f"{words} (ms)" if name.endswith("_ms") else words)
    return text.replace("<=", "≤")


def measured_on(rows: Sequence[Cells], runs: Sequence[RunEntry]) -> list[str]:
    """The system, the model, the workload and the days; what isn't known is left out."""
    if not rows:
        return []
    first = rows[0]
    place = (
        f"the embedded engine, profile {first['profile']}"
        if first.get("simulated")
        else first.get("gpu_model")
    )
    program = "the scheduling of vLLM" if first.get("simulated") else "vLLM"
    version = f"{program} {first['vllm_version']}" if first.get("vllm_version") else None
    model = f"model {first['model']}" if first.get("model") else None
    told = [str(said) for said in (place, version, model) if said]
    lines = [f"Measured on {', '.join(told)}"] if told else []
    trace, digest = first.get("trace_name"), first.get("trace_sha256")
    if trace or digest:
        lines.append(f"Workload {trace or ''}, hash {str(digest)[:12]}" if digest else f"Workload {trace}")
    days = sorted(str(run.started_utc)[:10] for run in runs if run.started_utc)
    if days:
        lines.append(f"On {days[0]}" if days[0] == days[-1] else f"From {days[0]} to {days[-1]}")
    return lines


def money(row: Cells) -> list[str]:
    """The price, the fleet for the stated demand, its idle share, the cost and how far it may be off."""
    currency, cost = row.get("currency") or "", row.get("cost_per_1k_accepted")
    if cost is None:
        return []
    seen = f", {str(row['price_basis']).replace('_', ' ')}, seen {row['price_date']} ({row['price_source']})"
    by = "was due" if row.get("cost_rate_basis") == "accepted_rps_carried" else "ended"
    each = f"{short(cost)} {currency} per 1,000 accepted responses while busy"
    lines = [f"{each}{seen}, counting what {by} in the window"]
    if row.get("retries"):
        lines.append(
            f"Retries are in it: {short(row['retries'])} by {short(row['requests_retried'])} requests"
        )
    if row.get("servers_needed") is not None:
        peak, mean = short(row["demand_peak_rps"]), short(row["demand_mean_rps"])
        lines.append(
            f"The stated demand (peak {peak}, mean {mean} accepted requests a second) takes"
            f" {row['servers_needed']:g} of these systems, which stand idle"
            f" {short(100 * row['idle_cost_share'])} % of the time:"
            f" {short(row['cost_reserved_basis'])} {currency} per 1,000, idle hours paid"
        )
    low, high = row.get("sensitivity_low"), row.get("sensitivity_high")
    if low is not None and high is not None:
        varied = "price, rate and demand" if row.get("servers_needed") is not None else "price and rate"
        lines.append(f"{short(low)} to {short(high)} {currency} with {varied} a tenth better or worse")
    return lines
