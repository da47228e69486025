"""Azure's LLM inference traces of 2023 and 2024: `TIMESTAMP,ContextTokens,GeneratedTokens`.

2023 has seven fractional digits and no zone, 2024 a zone; both are read as UTC. Data CC-BY 4.0 (Splitwise,
ISCA 2024).
"""

from collections.abc import Iterator

import numpy as np

from workbench.traces.arrays import Ints
from workbench.traces.importers.formats import Draft, Importer, Job, Sample
from workbench.traces.importers.table import read_tables
from workbench.traces.labels import Labels
from workbench.traces.rows import TraceHeader
from workbench.traces.source import Source
from workbench.traces.trace import Trace

COLUMNS = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")


def matches(seen: Sample) -> bool:
    """Known by two of its three names, so that a missing one is named."""
    return sum(name in seen.columns for name in COLUMNS) >= 2


def load(job: Job) -> Draft:
    """Every row; times as given."""
    tables = list(_columns(job.source))
    if not tables:
        job.source.fail("has a header but no rows")
    instants, prompt, output = (np.concatenate(column) for column in zip(*tables, strict=True))
    job.report.rows_read = len(instants)
    job.report.note("times are dates with a time of day, read as UTC")
    trace = Trace(
        header=TraceHeader(source="Azure LLM inference trace"),
        timestamp_ms=(instants - instants.min()) / 1e6,
        input_length=prompt,
        output_length=output,
        classes=Labels.none(len(instants)),
    )
    return Draft(trace=trace)


def _columns(source: Source) -> Iterator[tuple[Ints, Ints, Ints]]:
    for table in read_tables(source, COLUMNS):
        when, prompt, output = COLUMNS
        yield table.instants(when), table.tokens(prompt), table.tokens(output)


IMPORTER = Importer(name="azure", title="Azure LLM inference trace (CSV)", matches=matches, load=load)
