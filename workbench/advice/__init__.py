"""Memory sizing, bottlenecks, the next single change, comparison of GPUs; each with its evidence."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
