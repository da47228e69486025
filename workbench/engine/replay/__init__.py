"""Replay in virtual time: a trace through the scheduler and a step-time model, without HTTP."""

from workbench.engine.replay.figures import Quantiles, ReplayFigures, StepQuantiles, quantiles
from workbench.engine.replay.files import lead_in_s, read_workload
from workbench.engine.replay.keys import prompt_keys
from workbench.engine.replay.measured import MeasuredRequest, read_measured
from workbench.engine.replay.run import Job, Replay
from workbench.engine.replay.tally import Life, StepTally, Tally
from workbench.engine.replay.workload import jobs_of

__all__ = [
    "Job",
    "Life",
    "MeasuredRequest",
    "Quantiles",
    "Replay",
    "ReplayFigures",
    "StepQuantiles",
    "StepTally",
    "Tally",
    "jobs_of",
    "lead_in_s",
    "prompt_keys",
    "quantiles",
    "read_measured",
    "read_workload",
]
