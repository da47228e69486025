"""vLLM's V1 scheduler and KV cache, decision for decision: pure, without clock, input or randomness.

Where versions decide differently, `rules` says how.
"""

from workbench.engine.scheduler.config import Policy, SchedulerConfig
from workbench.engine.scheduler.core import Scheduler
from workbench.engine.scheduler.pipeline import Pipeline, Turn
from workbench.engine.scheduler.request import FinishReason, Key, Request, Status
from workbench.engine.scheduler.rules import (
    RULES,
    Rules,
    all_rules,
    row_for,
    row_text,
    rules_caveat,
    rules_for,
    rules_span,
)
from workbench.engine.scheduler.step import HeadWait, Step, Update, WaitReason

__all__ = [
    "RULES",
    "FinishReason",
    "HeadWait",
    "Key",
    "Pipeline",
    "Policy",
    "Request",
    "Rules",
    "Scheduler",
    "SchedulerConfig",
    "Status",
    "Step",
    "Turn",
    "Update",
    "WaitReason",
    "all_rules",
    "row_for",
    "row_text",
    "rules_caveat",
    "rules_for",
    "rules_span",
]
