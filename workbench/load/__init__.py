"""The load generator: worker processes, raw HTTP and SSE streams, one record a request."""

from workbench.load.options import INPUT_MODES, LoadOptions
from workbench.load.run import LoadOutcome, run_load
from workbench.load.target import ENDPOINTS, Address, Target

__all__ = ["ENDPOINTS", "INPUT_MODES", "Address", "LoadOptions", "LoadOutcome", "Target", "run_load"]
