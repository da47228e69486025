"""The load generator: worker processes, raw HTTP and SSE streams, one record a request."""

from workbench.load.calibration import (
    LEVELS,
    NULL_SERVER,
    QUICK_TAKES_S,
    Calibration,
    calibrate,
    calibrate_quickly,
)
from workbench.load.floor import Floor, fresh_floor, keep_floor, known_floor, path_left_out
from workbench.load.levels import Level
from workbench.load.messages import FromWorker, Job, Start, ToWorker
from workbench.load.options import INPUT_MODE_OF, INPUT_MODES, LoadOptions
from workbench.load.processes import WorkerProcess
from workbench.load.run import HIRE_HERE, Hire, LoadOutcome, run_load
from workbench.load.target import ENDPOINTS, Address, Target
from workbench.load.tokenizer import TokenizerCost, tokenizer_cost

__all__ = [
    "ENDPOINTS",
    "HIRE_HERE",
    "INPUT_MODES",
    "INPUT_MODE_OF",
    "LEVELS",
    "NULL_SERVER",
    "QUICK_TAKES_S",
    "Address",
    "Calibration",
    "Floor",
    "FromWorker",
    "Hire",
    "Job",
    "Level",
    "LoadOptions",
    "LoadOutcome",
    "Start",
    "Target",
    "ToWorker",
    "TokenizerCost",
    "WorkerProcess",
    "calibrate",
    "calibrate_quickly",
    "fresh_floor",
    "keep_floor",
    "known_floor",
    "path_left_out",
    "run_load",
    "tokenizer_cost",
]
