"""Why a request was slow: each request's time split into causes, from the scheduler's own step record."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
