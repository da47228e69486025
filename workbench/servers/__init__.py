"""A server's life: the embedded engine, a local vLLM, or one that is already there, behind one interface."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
