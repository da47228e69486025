"""The embedded engine: vLLM's V1 scheduler and KV cache, replayed in virtual time or served over HTTP.

The names are looked up when first used: the served engine's processes start without the libraries of replay.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
