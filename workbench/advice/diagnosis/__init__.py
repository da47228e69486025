"""Which limit binds a run, when, on what evidence; and what to change next."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
