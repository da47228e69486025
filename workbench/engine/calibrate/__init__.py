"""Fit of a step-time model to a server: rows of steps, the regression, the error on unseen load."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
