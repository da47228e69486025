"""How much memory a model takes on a card, and how many tokens of context are left room for."""

from workbench.advice.sizing.estimate import SizingEstimate, estimate, size_model
from workbench.advice.sizing.model import ModelShape
from workbench.advice.sizing.reading import read_model, shape_of
from workbench.advice.sizing.request import SizingRequest
from workbench.advice.sizing.server_log import ServerMemory, differences, read_server_memory

__all__ = [
    "ModelShape",
    "ServerMemory",
    "SizingEstimate",
    "SizingRequest",
    "differences",
    "estimate",
    "read_model",
    "read_server_memory",
    "shape_of",
    "size_model",
]
