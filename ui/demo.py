"""The demo: the two shipped experiments that share a baseline, with lengths as the user set them."""

import msgspec

from workbench.base import resource
from workbench.experiments import Experiment, to_toml

DEMO_NAME = "Demo"
DEMO_FILES = ("first-run-budget.toml", "first-run-seats.toml")


def demo_experiments() -> list[Experiment]:
    """As they are shipped."""
    return [Experiment.load_file(resource("experiments", name)) for name in DEMO_FILES]


def demo_files(experiments: list[Experiment], seconds: float | None) -> list[tuple[str, str]]:
    """File names and texts to start the conductor on; `seconds` replaces each run's simulated length."""
    files = []
    for name, experiment in zip(DEMO_FILES, experiments, strict=True):
        load = experiment.load
        if seconds is not None:
            load = msgspec.structs.replace(load, duration_s=seconds)
        files.append((name, to_toml(msgspec.structs.replace(experiment, load=load))))
    return files
