"""Comparison with what vLLM's own scheduler decided: golden cases and recordings of live servers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
