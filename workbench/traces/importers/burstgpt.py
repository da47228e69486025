"""BurstGPT: times in seconds, `Request tokens`, `Response tokens`; part 3 adds sessions and elapsed times.

Columns are read by name: part 3 inserts its two after the first. Rows without response tokens are failed
requests.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from workbench.traces.arrays import Floats, Ints
from workbench.traces.importers.formats import Draft, Importer, Job, Sample
from workbench.traces.importers.table import Table, read_tables
from workbench.traces.labels import Labels
from workbench.traces.limits import MAX_TIME_MS
from workbench.traces.report import SourceLatency
from workbench.traces.rows import TraceHeader
from workbench.traces.trace import Trace

COLUMNS = ("Timestamp", "Request tokens", "Response tokens")
SESSION, ELAPSED = "Session ID", "Elapsed time"


def matches(seen: Sample) -> bool:
    """Known by two of its three names, so that a missing one is named."""
    return sum(name in seen.columns for name in COLUMNS) >= 2 and "Request tokens" in seen.columns


@dataclass(frozen=True)
class _Part:
    seconds: Floats
    prompt: Ints
    output: Ints
    sessions: list[str | None]
    elapsed_ms: Floats


def load(job: Job) -> Draft:
    """Every row; failed ones are dropped with the rows without tokens."""
    parts = [_part(table) for table in read_tables(job.source, COLUMNS)]
    if not parts:
        job.source.fail("has a header but no rows")
    seconds = np.concatenate([part.seconds for part in parts])
    sessions = Labels.of(session for part in parts for session in part.sessions)
    job.report.rows_read = len(seconds)
    job.report.note("Timestamp read as seconds, as BurstGPT defines it")
    job.report.warn("rates of this source are far below what loads a GPU: replay it with a speedup or a rate")
    trace = Trace(
        header=TraceHeader(source="BurstGPT"),
        timestamp_ms=(seconds - seconds.min()) * 1000,
        input_length=np.concatenate([part.prompt for part in parts]),
        output_length=np.concatenate([part.output for part in parts]),
        classes=Labels.none(len(seconds)),
        sessions=sessions if sessions.names else None,
    )
    elapsed = np.concatenate([part.elapsed_ms for part in parts])
    unknown = np.full(len(elapsed), np.nan)
    latency = None if np.isnan(elapsed).all() else SourceLatency(ttft_ms=unknown, e2e_ms=elapsed)
    return Draft(trace=trace, latency=latency)


def _part(table: Table) -> _Part:
    when, prompt, output = COLUMNS
    return _Part(
        seconds=table.seconds(when),
        prompt=table.tokens(prompt),
        output=table.tokens(output),
        sessions=list(_sessions(table)),
        elapsed_ms=_elapsed(table),
    )


def _sessions(table: Table) -> Iterator[str | None]:
    if SESSION not in table.frame:
        return iter([None] * len(table))
    return (
        str(value).removesuffix(".0") if str(value).strip() not in {"", "nan"} else None
        for value in table.frame[SESSION]
    )


def _elapsed(table: Table) -> Floats:
    if ELAPSED not in table.frame:
        return np.full(len(table), np.nan)
    seconds = table.numbers_or_nan(ELAPSED)
    return 1000 * np.where((seconds > 0) & (seconds < MAX_TIME_MS), seconds, np.nan)


IMPORTER = Importer(name="burstgpt", title="BurstGPT (CSV)", matches=matches, load=load)
