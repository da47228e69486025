"""The session's room: the chain of experiments, each from what an earlier one found."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
