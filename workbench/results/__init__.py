"""What runs leave behind and what can be said of it: records, figures, the bench file, the scorecard."""

from workbench.results.bench_entries import ExperimentEntry, LogLine, RunEntry
from workbench.results.bench_file import BenchFile
from workbench.results.columns import RequestColumns, columns_from_records
from workbench.results.drift import Drift
from workbench.results.frame import Conditions, RunFrame, RunIdentity
from workbench.results.histogram import CounterShrankError, Histogram
from workbench.results.objectives import Limits, Objectives
from workbench.results.percentiles import Distribution, distribution, percentile, sample_floor
from workbench.results.queue_time import QueueFigures
from workbench.results.records import LoadSnapshot, Outcome, RequestRecord, Sample
from workbench.results.server_delta import ServerDelta
from workbench.results.summary import Figures, RequestCounts, RunSummary, summarise

__all__ = [
    "BenchFile",
    "Conditions",
    "CounterShrankError",
    "Distribution",
    "Drift",
    "ExperimentEntry",
    "Figures",
    "Histogram",
    "Limits",
    "LoadSnapshot",
    "LogLine",
    "Objectives",
    "Outcome",
    "QueueFigures",
    "RequestColumns",
    "RequestCounts",
    "RequestRecord",
    "RunEntry",
    "RunFrame",
    "RunIdentity",
    "RunSummary",
    "Sample",
    "ServerDelta",
    "columns_from_records",
    "distribution",
    "percentile",
    "sample_floor",
    "summarise",
]
