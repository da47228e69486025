"""Comparison of systems to buy: their bench files, the user's offers and demand, the decision sheet."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
