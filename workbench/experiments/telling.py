"""What the conductor announces first: the plan, as an event."""

from pathlib import Path

from workbench.experiments.events import ExperimentStarted
from workbench.experiments.plan import Plan
from workbench.experiments.settings import target_title


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
