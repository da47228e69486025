"""Memory that a model takes on a card, and the tokens of context that fit."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
