"""What is told as a run begins: its event."""

from workbench.experiments.agenda import Agenda
from workbench.experiments.events import RunStarted
from workbench.experiments.plan import Plan, Run
from workbench.servers import Effective
from workbench.traces import Schedule


def run_started(run: Run, plan: Plan, agenda: Agenda, schedule: Schedule, effective: Effective) -> RunStarted:
    """The event of a run whose load begins now on a server that says `effective`."""
    configuration = run.configuration
    return RunStarted(
        run=run.name,
        index=agenda.begun,
        of=len(agenda),
        experiment=plan.experiments[configuration.experiment].name,
        control=configuration.control,
        value=configuration.value,
        rate=run.rate,
        duration_s=round(schedule.length_s or 0.0, 3),
        requests=len(schedule),
        simulated=bool(effective.simulated),
        limits={**dict(effective.arguments), **configuration.controls},
    )
