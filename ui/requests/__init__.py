"""The requests panel: every request of a run, slowest first, and the parts of its time."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
