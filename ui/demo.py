"""The demo: the two shipped experiments that share a baseline, with lengths as the user set them.

Loads the core's experiments, so it is itself loaded only when the demo is asked for.
"""

import msgspec

from ui.experiment import Draft
from ui.experiment.from_experiment import draft_of
from workbench.base import resource
from workbench.experiments import Experiment, to_toml

DEMO_NAME = "Demo"
DEMO_FILES = ("first-run-budget.toml", "first-run-seats.toml")


def demo_draft(seconds: float | None = None) -> Draft:
    """The half of it that changes the sequence limit, for the form; `seconds` as in `demo_files`."""
    return draft_of(_lasting(_shipped()[-1], seconds))


def demo_files(seconds: float | None) -> list[tuple[str, str]]:
    """File names and texts to start the conductor on; `seconds` replaces each run's simulated length."""
    files = []
    for name, experiment in zip(DEMO_FILES, _shipped(), strict=True):
        target = msgspec.structs.replace(experiment.target, live_limits=True)
        files.append((name, to_toml(msgspec.structs.replace(_lasting(experiment, seconds), target=target))))
    return files


def _lasting(experiment: Experiment, seconds: float | None) -> Experiment:
    if seconds is None:
        return experiment
    load = msgspec.structs.replace(experiment.load, duration_s=seconds)
    return msgspec.structs.replace(experiment, load=load)


def _shipped() -> list[Experiment]:
    return [Experiment.load_file(resource("experiments", name)) for name in DEMO_FILES]
