"""What runs leave behind and what can be said of it: records, figures, the bench file, the scorecard."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
