"""The embedded engine: vLLM's V1 scheduler and KV cache, replayed in virtual time or served over HTTP.

The names are looked up when first used: the served engine's processes start without the libraries of replay.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.engine.calibrate import (
        Comparison,
        Fit,
        Pool,
        Prediction,
        Row,
        Seen,
        decode_rows,
        fit_steps,
        fit_under_load,
        logged_rows,
        predict,
        prompt_rows,
        recorded_rows,
    )
    from workbench.engine.check import Judgement, Verdict, check_file, judge
    from workbench.engine.demos import (
        Demo,
        Film,
        Played,
        Variant,
        demo_figure,
        film,
        list_demos,
        load_demo,
        play,
    )
    from workbench.engine.flags import (
        DEFAULT_PROFILE,
        add_scheduler_flags,
        add_step_time_flags,
        scheduler_config,
    )
    from workbench.engine.replay import Job, Replay, ReplayFigures, jobs_of, lead_in_s, read_workload
    from workbench.engine.scheduler import (
        Request,
        Rules,
        Scheduler,
        SchedulerConfig,
        Step,
        Update,
        all_rules,
        row_for,
        row_text,
        rules_caveat,
        rules_for,
        rules_span,
    )

__all__ = [
    "DEFAULT_PROFILE",
    "Comparison",
    "Demo",
    "Film",
    "Fit",
    "Job",
    "Judgement",
    "Played",
    "Pool",
    "Prediction",
    "Replay",
    "ReplayFigures",
    "Request",
    "Row",
    "Rules",
    "Scheduler",
    "SchedulerConfig",
    "Seen",
    "Step",
    "Update",
    "Variant",
    "Verdict",
    "add_scheduler_flags",
    "add_step_time_flags",
    "all_rules",
    "check_file",
    "decode_rows",
    "demo_figure",
    "film",
    "fit_steps",
    "fit_under_load",
    "jobs_of",
    "judge",
    "lead_in_s",
    "list_demos",
    "load_demo",
    "logged_rows",
    "play",
    "predict",
    "prompt_rows",
    "read_workload",
    "recorded_rows",
    "row_for",
    "row_text",
    "rules_caveat",
    "rules_for",
    "rules_span",
    "scheduler_config",
]

_PARTS = ("scheduler", "replay", "check", "demos", "flags", "calibrate")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for part in _PARTS:
            module = importlib.import_module(f"workbench.engine.{part}")
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module 'workbench.engine' has no attribute {name!r}")
