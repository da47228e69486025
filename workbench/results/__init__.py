"""The results of runs: records, figures, the bench file, the scorecard, statistics and exports."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
