"""Insights into a run: the bottleneck, why the head of the queue waits, what to change next."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
