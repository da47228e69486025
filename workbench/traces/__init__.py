"""Workloads: the canonical trace, importers, generators, transforms, arrivals, prompts and both hashes."""

from workbench.traces.arrivals import SCHEDULE_FORM
from workbench.traces.bands import DEFAULT_BANDS, band_names, parse_bands
from workbench.traces.exports import LAYOUTS, export_trace, vllm_command
from workbench.traces.fit import FitReport, fit_to_model
from workbench.traces.importers import IMPORTERS
from workbench.traces.mapping import FIELDS, UNITS, ColumnMapping, parse_mapping
from workbench.traces.mixes import (
    AGENT,
    CHAT,
    LONG_CONTEXT,
    MIXES,
    Mix,
    Quantiles,
    make_mix,
    parse_mix,
)
from workbench.traces.preview import TablePreview, preview_table
from workbench.traces.privacy import read_or_make_salt
from workbench.traces.prompts import DEFAULT_VOCAB_SIZE, PROMPT_BUILDER_VERSION, PromptBuilder
from workbench.traces.rates import RateProfile, bursts, parse_profile, ramp, steps
from workbench.traces.reading import import_trace, read_trace
from workbench.traces.report import Imported, ImportReport, SourceLatency
from workbench.traces.rows import TraceHeader, TraceRow
from workbench.traces.schedule import Schedule, closed_loop, mean_rate, open_loop
from workbench.traces.source import ImportStoppedError
from workbench.traces.statistics import (
    ClassSummary,
    LatencySummary,
    Lengths,
    Offered,
    TraceDrawing,
    TraceSummary,
    drawing,
    ideal_hit_tokens,
    pool_hit_tokens,
    summarise_latency,
    summarise_trace,
)
from workbench.traces.synthetic import parse_synthetic, synthetic_trace
from workbench.traces.tokenizers import local_tokenizer
from workbench.traces.trace import Trace
from workbench.traces.transforms import (
    STEPS,
    Step,
    blend,
    closed_sessions,
    only_phase,
    open_sessions,
    replicate,
    sample,
    shuffle_sessions,
    speedup,
    spread_ticks,
    stagger_sessions,
    to_mean_rate,
    window,
    with_arrivals,
    with_bands,
    with_profile,
)
from workbench.traces.writing import canonical_bytes, write_trace

__all__ = [
    "AGENT",
    "CHAT",
    "DEFAULT_BANDS",
    "DEFAULT_VOCAB_SIZE",
    "FIELDS",
    "IMPORTERS",
    "LAYOUTS",
    "LONG_CONTEXT",
    "MIXES",
    "PROMPT_BUILDER_VERSION",
    "SCHEDULE_FORM",
    "STEPS",
    "UNITS",
    "ClassSummary",
    "ColumnMapping",
    "FitReport",
    "ImportReport",
    "ImportStoppedError",
    "Imported",
    "LatencySummary",
    "Lengths",
    "Mix",
    "Offered",
    "PromptBuilder",
    "Quantiles",
    "RateProfile",
    "Schedule",
    "SourceLatency",
    "Step",
    "TablePreview",
    "Trace",
    "TraceDrawing",
    "TraceHeader",
    "TraceRow",
    "TraceSummary",
    "band_names",
    "blend",
    "bursts",
    "canonical_bytes",
    "closed_loop",
    "closed_sessions",
    "drawing",
    "export_trace",
    "fit_to_model",
    "ideal_hit_tokens",
    "import_trace",
    "local_tokenizer",
    "make_mix",
    "mean_rate",
    "only_phase",
    "open_loop",
    "open_sessions",
    "parse_bands",
    "parse_mapping",
    "parse_mix",
    "parse_profile",
    "parse_synthetic",
    "pool_hit_tokens",
    "preview_table",
    "ramp",
    "read_or_make_salt",
    "read_trace",
    "replicate",
    "sample",
    "shuffle_sessions",
    "speedup",
    "spread_ticks",
    "stagger_sessions",
    "steps",
    "summarise_latency",
    "summarise_trace",
    "synthetic_trace",
    "to_mean_rate",
    "vllm_command",
    "window",
    "with_arrivals",
    "with_bands",
    "with_profile",
    "write_trace",
]
