"""The experiment being edited: draft, history and file fields; the panel is `experiment_panel`.

The panel is not exported here: it imports the server's and the workload's forms, and those import the draft.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
