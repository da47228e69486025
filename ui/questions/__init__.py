"""Before going live: the five questions with their answers, and the experiments that are missing."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
