"""Memory sizing, which limit binds, the next single change, comparison of GPUs; each with its evidence."""

from workbench.advice.gpus import Card, find_card, load_cards
from workbench.advice.sizing import SizingEstimate, SizingRequest, size_model

__all__ = [
    "Card",
    "SizingEstimate",
    "SizingRequest",
    "find_card",
    "load_cards",
    "size_model",
]
