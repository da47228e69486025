"""Which findings belong to a bench file: by the kind of its experiments."""

import contextlib

from workbench.base import InputError
from workbench.experiments.findings.burst import burst_findings
from workbench.experiments.findings.capacity import capacity_findings
from workbench.experiments.findings.interaction import interaction_findings
from workbench.experiments.findings.reproduction import reproduction_findings
from workbench.experiments.findings.soak import soak_findings
from workbench.experiments.findings.switchback import switchback_findings, switchback_verdicts
from workbench.experiments.spec.experiment import Experiment
from workbench.results import BenchFile, Verdict


def find(bench: BenchFile) -> tuple[list[str], list[Verdict]]:
    """All findings of the file, one sentence each, and the verdicts that they rest on besides `compare`'s.

    Nothing of a file whose text this version refuses.
    """
    experiment = first_experiment(bench)
    if experiment is None:
        return [], []
    if experiment.switchback is not None:
        verdicts = switchback_verdicts(bench, experiment.switchback.washout_s)
        return switchback_findings(bench, verdicts), verdicts
    found: list[str] = []
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
    """As its file says it; None: there is none, or this version can't read it."""
    for entry in bench.experiments():
        with contextlib.suppress(InputError):
            return Experiment.from_toml(entry.toml, where=entry.name)
    return None
