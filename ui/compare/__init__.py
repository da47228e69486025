"""Which system to buy: bench files of several systems, the user's offers and demand, the decision sheet."""

from ui.compare.dialog import CompareDialog

__all__ = ["CompareDialog"]
