"""The room of single requests: every one of a run, worst first, and what its time went into."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
