"""Importers: every format that a trace or a log of requests may come in."""

from workbench.traces.importers import (
    aiperf,
    azure,
    bailian,
    burstgpt,
    canonical,
    measured,
    mooncake,
    per_request,
    sharegpt,
    tracelab,
    weka,
)
from workbench.traces.importers.logs import helicone, langfuse, litellm, nginx, otel, vcr, vllm_log

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
