"""Bottlenecks of a run with their times and evidence, and the next change to try."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
