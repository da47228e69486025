"""Calibration: loads that tell a server's steps from outside, and the profile that comes of it.

A room within the room: who runs experiments need not load the libraries of the regression.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
