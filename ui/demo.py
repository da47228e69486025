"""The demo: two shipped experiments with a common baseline, with run lengths from the settings.

Imports the core's experiments, so it is imported only when the demo starts.
"""

import msgspec

from ui.experiment import Draft
from ui.experiment.draft_file import draft_of
from workbench.base import resource
from workbench.experiments import Experiment, to_toml

DEMO_NAME = "Demo"
DEMO_FILES = ("first-run-budget.toml", "first-run-seats.toml")


def demo_drafts(seconds: float | None = None) -> dict[str, Draft]:
    """Return the demo's experiments as drafts by their control; `seconds` as in `demo_files`."""
    return {each.tested.name: draft_of(each) for each in _lasting(seconds)}


def demo_draft(seconds: float | None = None) -> Draft:
    """Return the demo's experiment on the sequence limit."""
    return demo_drafts(seconds)["max_num_seqs"]


def demo_files(seconds: float | None) -> list[tuple[str, str]]:
    """Return file names and texts for the conductor; `seconds` replaces each run's simulated length."""
    return [(name, to_toml(each)) for name, each in zip(DEMO_FILES, _lasting(seconds), strict=True)]


def _lasting(seconds: float | None) -> list[Experiment]:
    made = []
    for name in DEMO_FILES:
        experiment = Experiment.load_file(resource("experiments", name))
        target = msgspec.structs.replace(experiment.target, live_limits=True)
        duration = experiment.load.duration_s if seconds is None else seconds
        load = msgspec.structs.replace(experiment.load, duration_s=duration)
        made.append(msgspec.structs.replace(experiment, target=target, load=load))
    return made
