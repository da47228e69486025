"""Which findings belong to a bench file: by the kind of its experiments."""

from workbench.base import InputError
from workbench.experiments.experiment import Experiment
from workbench.experiments.findings.burst import burst_findings
from workbench.experiments.findings.capacity import capacity_findings
from workbench.experiments.findings.interaction import interaction_findings
from workbench.experiments.findings.reproduction import reproduction_findings
from workbench.experiments.findings.soak import soak_findings
from workbench.results import BenchFile


def find(bench: BenchFile) -> list[str]:
    """All findings of the file, one sentence each; nothing of a file whose text this version refuses."""
    entries = bench.experiments()
    if not entries:
        return []
    try:
        experiment = Experiment.from_toml(entries[0].toml, where=entries[0].name)
    except InputError:
        return []
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
    return found
