"""Importers: every format that a trace or a log of requests may come in."""

from workbench.traces.importers import azure, burstgpt, measured
from workbench.traces.importers.formats import (
    aiperf,
    bailian,
    canonical,
    helicone,
    langfuse,
    litellm,
    mooncake,
    nginx,
    otel,
    per_request,
    sharegpt,
    tracelab,
    vcr,
    vllm_log,
    weka,
)

IMPORTERS = (
    canonical.IMPORTER,
    bailian.IMPORTER,
    measured.IMPORTER,
    tracelab.ROUNDS,
    tracelab.REPLAY,
    weka.IMPORTER,
    vcr.IMPORTER,
    litellm.IMPORTER,
    langfuse.IMPORTER,
    helicone.IMPORTER,
    otel.IMPORTER,
    mooncake.TIMED_TRACE,
    mooncake.IMPORTER,
    aiperf.IMPORTER,
    sharegpt.IMPORTER,
    azure.IMPORTER,
    burstgpt.IMPORTER,
    per_request.IMPORTER,
    nginx.IMPORTER,
    vllm_log.IMPORTER,
)
"""In the order in which they are tried: the most particular first."""

__all__ = ["IMPORTERS"]
