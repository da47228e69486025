"""Experiments: the file, the plan of runs, the conductor that carries it out, its events."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
