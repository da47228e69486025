"""A variant's run beside its baseline's, from the bench file: what moved, and which limit binds now."""

from typing import Any

from workbench.advice import RunView, compare
from workbench.base import Message
from workbench.controls import values_in_force
from workbench.results import BenchFile, RunEntry


def against_baseline(bench: BenchFile, run_id: int) -> list[Message]:
    """Short sentences; empty for a baseline, and where no baseline ran under the same load before.

    Of several runs of the baseline the latest is taken: it is the nearest in time. Single runs are compared
    here; what repeats allow to conclude is the verdicts' to say.
    """
    run = bench.run(run_id)
    if run.control is None or run.status != "done" or run.summary is None:
        return []
    alike = [
        other
        for other in bench.runs()
        if other.control is None
        and other.status == "done"
        and other.summary is not None
        and (other.rate, other.concurrency) == (run.rate, run.concurrency)
    ]
    return compare(stored_view(bench, alike[-1]), stored_view(bench, run)) if alike else []


def stored_view(bench: BenchFile, run: RunEntry) -> RunView:
    """A finished run as a diagnosis sees it, without recorded steps."""
    effective = {name: value for name, value in (run.effective or {}).items() if value is not None}
    kv_tokens: Any = effective.get("kv_cache_tokens")
    return RunView(
        samples=bench.samples(run.id),
        limits=values_in_force(run.config, effective, started_by_us=run.command is not None),
        changes=bench.limit_changes(run.id),
        figures=run.summary or {},
        records=bench.request_columns(run.id),
        kv_cache_tokens=kv_tokens if isinstance(kv_tokens, int) else None,
        concurrency=run.concurrency,
        length_s=run.frame.length_s if run.frame is not None else None,
        time_scale=run.time_scale,
        name=run.name,
        vllm_version=effective.get("version"),
    )
