"""What the conductor says first and last: the plan, and what was seen, as events."""

from pathlib import Path

import msgspec

from workbench.experiments.conclusions import keep_conclusions
from workbench.experiments.events import ExperimentFinished, ExperimentStarted
from workbench.experiments.plan import Plan
from workbench.experiments.settings import target_title
from workbench.experiments.story import tell
from workbench.results import BenchFile, choose


def experiment_started(plan: Plan, bench: Path, trace: str, trace_sha256: str) -> ExperimentStarted:
    """The plan is fixed and the bench file open; `trace` is its title."""
    experiment = plan.experiments[0]
    embedded = experiment.target.kind == "embedded"
    return ExperimentStarted(
        name=" + ".join(each.name for each in plan.experiments),
        bench=str(bench),
        plan=plan.described(),
        simulated=embedded,
        profile=experiment.target.profile if embedded else None,
        target=target_title(experiment.target),
        trace=trace,
        trace_sha256=trace_sha256,
        objectives=experiment.objectives.to_json(),
        limits=dict(experiment.baseline),
    )


def experiment_finished(bench: BenchFile, status: str) -> ExperimentFinished:
    """Everything is stored, the conclusions too: what was seen and what to choose."""
    concluded = keep_conclusions(bench)
    return ExperimentFinished(
        status=status,
        bench=str(bench.path),
        csv=None,
        report=tell(bench, concluded),
        verdicts=[verdict.told() for verdict in concluded.verdicts],
        choice=msgspec.to_builtins(choose(bench)),
    )
