"""The experiment's room: the draft with its history here; the panel that edits it is `ui.experiment.widget`.

The panel stands above the rooms whose forms it holds (server, workload), and those edit the draft: imported
here, it would close a circle.
"""

from ui.experiment.draft import Draft
from ui.experiment.editor import Editor

__all__ = ["Draft", "Editor"]
