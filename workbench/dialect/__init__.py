"""How vLLM speaks: metric names and buckets, log phases, failure texts, error bodies, step records."""

from workbench.dialect import errors, log, metrics
from workbench.dialect.errors import ErrorBody, ErrorDetail, error_message, is_rejection
from workbench.dialect.failures import Failure, FailureReader
from workbench.dialect.iterations import Iteration, iteration_of
from workbench.dialect.log import PHASES, LogLine, Phase, listening_url, phase_of, split_line, weights_percent
from workbench.dialect.metrics import (
    ENGINE_LABEL,
    METRICS,
    MODEL_LABEL,
    PREFIX,
    Metric,
    MetricKind,
    find_metric,
    token_edges,
)
from workbench.dialect.steps import (
    Added,
    AnyStepLine,
    CacheForgotten,
    Dropped,
    Finished,
    Header,
    LimitChanged,
    Scheduled,
    StepLine,
    Updated,
    encode_step,
    read_steps,
)

__all__ = [
    "ENGINE_LABEL",
    "METRICS",
    "MODEL_LABEL",
    "PHASES",
    "PREFIX",
    "Added",
    "AnyStepLine",
    "CacheForgotten",
    "Dropped",
    "ErrorBody",
    "ErrorDetail",
    "Failure",
    "FailureReader",
    "Finished",
    "Header",
    "Iteration",
    "LimitChanged",
    "LogLine",
    "Metric",
    "MetricKind",
    "Phase",
    "Scheduled",
    "StepLine",
    "Updated",
    "encode_step",
    "error_message",
    "errors",
    "find_metric",
    "is_rejection",
    "iteration_of",
    "listening_url",
    "log",
    "metrics",
    "phase_of",
    "read_steps",
    "split_line",
    "token_edges",
    "weights_percent",
]
