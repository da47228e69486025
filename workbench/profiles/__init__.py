"""Step-time models of GPUs: how long a step takes, where the figure comes from, how far off it may be."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
