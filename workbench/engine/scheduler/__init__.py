"""vLLM's V1 scheduler and KV cache, decision for decision: pure, without clock, input or randomness.

Where versions decide differently, `rules` says how.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
