"""The embedded engine: vLLM's V1 scheduler and KV cache, replayed in virtual time or served over HTTP.

The names are looked up when first used: the served engine's processes start without the libraries of replay.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.engine.check import Verdict, check_file
    from workbench.engine.demos import Demo, Played, Variant, list_demos, load_demo, play
    from workbench.engine.flags import add_scheduler_flags, scheduler_config
    from workbench.engine.replay import Job, Replay, ReplayFigures, jobs_of, lead_in_s, read_workload
    from workbench.engine.scheduler import Request, Scheduler, SchedulerConfig, Step, Update

__all__ = [
    "Demo",
    "Job",
    "Played",
    "Replay",
    "ReplayFigures",
    "Request",
    "Scheduler",
    "SchedulerConfig",
    "Step",
    "Update",
    "Variant",
    "Verdict",
    "add_scheduler_flags",
    "check_file",
    "jobs_of",
    "lead_in_s",
    "list_demos",
    "load_demo",
    "play",
    "read_workload",
    "scheduler_config",
]

_PARTS = ("scheduler", "replay", "check", "demos", "flags")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for part in _PARTS:
            module = importlib.import_module(f"workbench.engine.{part}")
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module 'workbench.engine' has no attribute {name!r}")
