"""The load generator: worker processes, raw HTTP and SSE streams, one record a request."""

from workbench.load.calibration import LEVELS, Calibration, Level, calibrate
from workbench.load.floor import Floor, keep_floor, known_floor
from workbench.load.options import INPUT_MODES, LoadOptions
from workbench.load.run import LoadOutcome, run_load
from workbench.load.target import ENDPOINTS, Address, Target
from workbench.load.tokenizer import TokenizerCost, tokenizer_cost

__all__ = [
    "ENDPOINTS",
    "INPUT_MODES",
    "LEVELS",
    "Address",
    "Calibration",
    "Floor",
    "Level",
    "LoadOptions",
    "LoadOutcome",
    "Target",
    "TokenizerCost",
    "calibrate",
    "keep_floor",
    "known_floor",
    "run_load",
    "tokenizer_cost",
]
