"""The verdict bar: the answer of the plan, and the one experiment to run next."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
