"""Samples of a server's /metrics (gauges, counters, histograms and their changes) and of its machine."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
