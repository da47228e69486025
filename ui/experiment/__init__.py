"""The experiment's room: the draft with its history, and the panel that edits it."""

from ui.experiment.draft import Draft
from ui.experiment.editor import Editor
from ui.experiment.widget import ExperimentPanel

__all__ = ["Draft", "Editor", "ExperimentPanel"]
