"""Fork of a recorded run: its state at a step, and two futures from there, as recorded and with a change."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
