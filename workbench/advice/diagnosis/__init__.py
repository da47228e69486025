"""Which limit binds a run, when, on what evidence; and what to change next."""

from workbench.advice.diagnosis.before_start import memory_held
from workbench.advice.diagnosis.bound import Bound
from workbench.advice.diagnosis.compare import compare
from workbench.advice.diagnosis.diagnose import diagnose
from workbench.advice.diagnosis.records import Change, Diagnosis, Finding, Reach
from workbench.advice.diagnosis.stats_lines import read_stats_lines
from workbench.advice.diagnosis.strip import Segment
from workbench.advice.diagnosis.view import RunView, StepWait

__all__ = [
    "Bound",
    "Change",
    "Diagnosis",
    "Finding",
    "Reach",
    "RunView",
    "Segment",
    "StepWait",
    "compare",
    "diagnose",
    "memory_held",
    "read_stats_lines",
]
