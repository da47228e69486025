"""Workloads: the canonical trace, importers, generators, transforms, arrivals, prompts and both hashes."""

from workbench.traces.bands import DEFAULT_BANDS, band_names, parse_bands, with_bands
from workbench.traces.fit import FitReport, fit_to_model
from workbench.traces.prompts import DEFAULT_VOCAB_SIZE, PROMPT_BUILDER_VERSION, PromptBuilder
from workbench.traces.reading import import_trace, read_trace
from workbench.traces.report import Imported, ImportReport, SourceLatency
from workbench.traces.rows import TraceHeader, TraceRow
from workbench.traces.schedule import Schedule, closed_loop, mean_rate, open_loop
from workbench.traces.source import ImportStoppedError
from workbench.traces.synthetic import parse_synthetic, synthetic_trace
from workbench.traces.trace import Trace
from workbench.traces.writing import write_trace

__all__ = [
    "DEFAULT_BANDS",
    "DEFAULT_VOCAB_SIZE",
    "PROMPT_BUILDER_VERSION",
    "FitReport",
    "ImportReport",
    "ImportStoppedError",
    "Imported",
    "PromptBuilder",
    "Schedule",
    "SourceLatency",
    "Trace",
    "TraceHeader",
    "TraceRow",
    "band_names",
    "closed_loop",
    "fit_to_model",
    "import_trace",
    "mean_rate",
    "open_loop",
    "parse_bands",
    "parse_synthetic",
    "read_trace",
    "synthetic_trace",
    "with_bands",
    "write_trace",
]
