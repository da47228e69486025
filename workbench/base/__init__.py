"""The base of every room: clock, errors, messages, files, masking, records, paths and resources."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
