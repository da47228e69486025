"""Tune for me: one control at a time, each step an ordinary plan of the window."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
