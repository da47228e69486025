"""Findings of a bench file, by the kind of its experiment."""

import contextlib

from workbench.base import InputError, Message
from workbench.experiments.findings.burst import burst_findings
from workbench.experiments.findings.capacity import capacity_findings
from workbench.experiments.findings.interaction import interaction_findings
from workbench.experiments.findings.reproduction import reproduction_findings
from workbench.experiments.findings.soak import soak_findings
from workbench.experiments.findings.switchback import switchback_findings, switchback_verdicts
from workbench.experiments.spec.experiment import Experiment
from workbench.results import BenchFile, Verdict


def find(bench: BenchFile) -> tuple[list[Message], list[Verdict]]:
    """Return the file's findings and their verdicts, without those of `compare`.

    Both are empty if this version can't read the file's experiment.
    """
    experiment = first_experiment(bench)
    if experiment is None:
        return [], []
    if experiment.switchback is not None:
        verdicts = switchback_verdicts(bench, experiment.switchback.washout_s)
        return switchback_findings(bench, verdicts), verdicts
    found: list[Message] = []
    if experiment.burst is not None:
        found += burst_findings(bench, experiment.burst, experiment.objectives)
    elif experiment.kind == "soak":
        found += soak_findings(bench)
    elif experiment.kind == "confirm":
        found += interaction_findings(bench)
    else:
        found += capacity_findings(bench)
    if experiment.reproduces is not None:
        found += reproduction_findings(bench, experiment.reproduces)
    return found, []


def first_experiment(bench: BenchFile) -> Experiment | None:
    """Return the first readable experiment; None if there is none."""
    for entry in bench.experiments():
        with contextlib.suppress(InputError):
            return Experiment.from_toml(entry.toml, where=entry.name)
    return None
