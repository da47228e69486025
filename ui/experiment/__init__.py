"""The experiment's room: the draft with its history here; its panel is `experiment_panel`.

The panel stands above the rooms whose forms it holds (server, workload), and those edit the draft: imported
here, it would close a circle.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
