"""Memory sizing, which limit binds, the next single change, comparison of GPUs; each with its evidence."""

from workbench.advice.diagnosis import (
    Bound,
    Change,
    Diagnosis,
    Finding,
    Reach,
    RunView,
    Segment,
    StepWait,
    compare,
    diagnose,
    read_stats_lines,
)
from workbench.advice.gpus import Card, find_card, load_cards
from workbench.advice.sizing import SizingEstimate, SizingRequest, size_model

__all__ = [
    "Bound",
    "Card",
    "Change",
    "Diagnosis",
    "Finding",
    "Reach",
    "RunView",
    "Segment",
    "SizingEstimate",
    "SizingRequest",
    "StepWait",
    "compare",
    "diagnose",
    "find_card",
    "load_cards",
    "read_stats_lines",
    "size_model",
]
