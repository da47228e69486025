"""Before going live: the guide's five questions, answered from results, and what would answer the rest."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
