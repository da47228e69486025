"""Replay in virtual time: a trace through the scheduler and a step-time model, without HTTP."""

from workbench.engine.replay.figures import Quantiles, ReplayFigures, StepQuantiles
from workbench.engine.replay.keys import prompt_keys
from workbench.engine.replay.run import Job, Replay
from workbench.engine.replay.tally import Life, StepTally, Tally
from workbench.engine.replay.workload import jobs_of

__all__ = [
    "Job",
    "Life",
    "Quantiles",
    "Replay",
    "ReplayFigures",
    "StepQuantiles",
    "StepTally",
    "Tally",
    "jobs_of",
    "prompt_keys",
]
