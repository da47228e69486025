"""A tuning session: a chain of experiments as data, and the functions that change it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
