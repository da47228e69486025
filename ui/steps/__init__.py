"""The steps panel: a run's scheduler on one time axis, from the whole run to one step."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
