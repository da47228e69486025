"""Calibration: loads that reveal a server's step times, and the profile fitted to them.

A room of its own, so that experiments don't load the libraries of the regression.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
