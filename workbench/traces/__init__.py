"""Workloads: the canonical trace, importers, generators, transforms, arrivals, prompts and hashes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
