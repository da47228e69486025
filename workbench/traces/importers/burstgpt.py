"""BurstGPT: times in seconds, `Request tokens`, `Response tokens`; part 3 adds sessions and elapsed times.

Columns are read by name: part 3 inserts its two after the first. Rows without response tokens are failed
requests.
"""

import numpy as np

from workbench.base import message
from workbench.traces.canonical_rows import TraceHeader
from workbench.traces.columns import Floats, Labels
from workbench.traces.importers.broken_rows import refuse_empty
from workbench.traces.importers.formats import Draft, Importer, Job, Sample
from workbench.traces.importers.table import Table, TableTimes, read_tables
from workbench.traces.io.import_report import SourceLatency
from workbench.traces.limits import MAX_TIME_MS
from workbench.traces.trace import Trace

COLUMNS = ("Timestamp", "Request tokens", "Response tokens")
SESSION, ELAPSED = "Session ID", "Elapsed time"


def matches(seen: Sample) -> bool:
    """Known by two of its three names, so that a missing one is named."""
    return sum(name in seen.columns for name in COLUMNS) >= 2 and "Request tokens" in seen.columns


def load(job: Job) -> Draft:
    """Every row; failed ones are dropped with the rows without tokens."""
    when, prompt, output = COLUMNS
    times = TableTimes(job, when, defined="s")
    parts = []
    for table in read_tables(job, COLUMNS, (SESSION, ELAPSED)):
        columns = (
            times.read(table),
            table.tokens(prompt),
            table.tokens(output),
            _elapsed(table),
            _sessions(table),
        )
        stamps, *rest = table.kept(*columns)
        times.keep(stamps)
        parts.append(rest)
    if not parts:
        refuse_empty(job)
    prompts, outputs, elapsed, sessions = zip(*parts, strict=True)
    named = Labels.of(session for part in sessions for session in part)
    elapsed_ms = np.concatenate(elapsed)
    job.report.rows_read += len(elapsed_ms)
    job.report.warn(message("traces.low_rate_source"))
    trace = Trace(
        header=TraceHeader(source="BurstGPT"),
        timestamp_ms=times.milliseconds(),
        input_length=np.concatenate(prompts),
        output_length=np.concatenate(outputs),
        classes=Labels.none(len(elapsed_ms)),
        sessions=named if named.names else None,
    )
    unknown = np.full(len(elapsed_ms), np.nan)
    latency = None if np.isnan(elapsed_ms).all() else SourceLatency(ttft_ms=unknown, e2e_ms=elapsed_ms)
    return Draft(trace=trace, latency=latency)


def _sessions(table: Table) -> list[str | None]:
    if SESSION not in table:
        return [None] * len(table)
    return [cell.strip().removesuffix(".0") or None for cell in table.texts(SESSION)]


def _elapsed(table: Table) -> Floats:
    if ELAPSED not in table:
        return np.full(len(table), np.nan)
    seconds = table.numbers_or_nan(ELAPSED)
    return 1000 * np.where((seconds > 0) & (seconds < MAX_TIME_MS), seconds, np.nan)


IMPORTER = Importer(name="burstgpt", title="BurstGPT (CSV)", matches=matches, load=load)
