"""vLLM 0.32's V1 scheduler and KV cache, decision for decision: pure, without clock, input or randomness."""

from workbench.engine.scheduler.config import Policy, SchedulerConfig
from workbench.engine.scheduler.core import Scheduler
from workbench.engine.scheduler.pipeline import Pipeline, Turn
from workbench.engine.scheduler.request import FinishReason, Key, Request, Status
from workbench.engine.scheduler.step import HeadWait, Step, Update, WaitReason

__all__ = [
    "FinishReason",
    "HeadWait",
    "Key",
    "Pipeline",
    "Policy",
    "Request",
    "Scheduler",
    "SchedulerConfig",
    "Status",
    "Step",
    "Turn",
    "Update",
    "WaitReason",
]
