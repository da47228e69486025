"""Workloads: the canonical trace, importers, generators, transforms, arrivals, prompts and both hashes."""

from workbench.traces.bands import DEFAULT_BANDS, band_names, parse_bands
from workbench.traces.fit import FitReport, fit_to_model
from workbench.traces.importers import IMPORTERS
from workbench.traces.mapping import FIELDS, ColumnMapping, parse_mapping
from workbench.traces.preview import TablePreview, preview_table
from workbench.traces.prompts import DEFAULT_VOCAB_SIZE, PROMPT_BUILDER_VERSION, PromptBuilder
from workbench.traces.rates import RateProfile, bursts, parse_profile, ramp, steps
from workbench.traces.reading import import_trace, read_trace
from workbench.traces.report import Imported, ImportReport, SourceLatency
from workbench.traces.rows import TraceHeader, TraceRow
from workbench.traces.schedule import Schedule, closed_loop, mean_rate, open_loop
from workbench.traces.source import ImportStoppedError
from workbench.traces.synthetic import parse_synthetic, synthetic_trace
from workbench.traces.trace import Trace
from workbench.traces.transforms import (
    blend,
    closed_sessions,
    open_sessions,
    replicate,
    sample,
    shuffle_sessions,
    speedup,
    spread_ticks,
    to_mean_rate,
    window,
    with_bands,
)
from workbench.traces.writing import write_trace

__all__ = [
    "DEFAULT_BANDS",
    "DEFAULT_VOCAB_SIZE",
    "FIELDS",
    "IMPORTERS",
    "PROMPT_BUILDER_VERSION",
    "ColumnMapping",
    "FitReport",
    "ImportReport",
    "ImportStoppedError",
    "Imported",
    "PromptBuilder",
    "RateProfile",
    "Schedule",
    "SourceLatency",
    "TablePreview",
    "Trace",
    "TraceHeader",
    "TraceRow",
    "band_names",
    "blend",
    "bursts",
    "closed_loop",
    "closed_sessions",
    "fit_to_model",
    "import_trace",
    "mean_rate",
    "open_loop",
    "open_sessions",
    "parse_bands",
    "parse_mapping",
    "parse_profile",
    "parse_synthetic",
    "preview_table",
    "ramp",
    "read_trace",
    "replicate",
    "sample",
    "shuffle_sessions",
    "speedup",
    "spread_ticks",
    "steps",
    "synthetic_trace",
    "to_mean_rate",
    "window",
    "with_bands",
    "write_trace",
]
