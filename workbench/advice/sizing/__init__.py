"""How much memory a model takes on a card, and how many tokens of context are left room for."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
