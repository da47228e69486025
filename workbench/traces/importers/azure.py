"""Azure's LLM inference traces of 2023 and 2024: `TIMESTAMP,ContextTokens,GeneratedTokens`.

2023 has seven fractional digits and no zone, 2024 a zone; both are read as UTC. Data CC-BY 4.0 (Splitwise,
ISCA 2024).
"""

import numpy as np

from workbench.traces.canonical_rows import TraceHeader
from workbench.traces.columns import Labels
from workbench.traces.importers.broken_rows import refuse_empty
from workbench.traces.importers.importer import Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.table_columns import TableTimes, read_tables
from workbench.traces.trace import Trace

COLUMNS = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")


def matches(head: FileHead) -> bool:
    """Known by two of its three names, so that a missing one is named."""
    return sum(name in head.columns for name in COLUMNS) >= 2


def load(job: ImportJob) -> Draft:
    """Every row; times as given."""
    when, prompt, output = COLUMNS
    times = TableTimes(job, when)
    parts = []
    for table in read_tables(job, COLUMNS):
        columns = times.read(table), table.tokens(prompt), table.tokens(output)
        instants, *lengths = table.kept(*columns)
        times.keep(instants)
        parts.append(lengths)
    if not parts:
        refuse_empty(job)
    prompts, outputs = (np.concatenate(column) for column in zip(*parts, strict=True))
    job.report.rows_read += len(prompts)
    trace = Trace(
        header=TraceHeader(source="Azure LLM inference trace"),
        timestamp_ms=times.milliseconds(),
        input_length=prompts,
        output_length=outputs,
        classes=Labels.none(len(prompts)),
    )
    return Draft(trace=trace)


IMPORTER = Importer(name="azure", title="Azure LLM inference trace (CSV)", matches=matches, load=load)
