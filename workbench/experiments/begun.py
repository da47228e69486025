"""What is told as a run begins: its event."""

from workbench.controls import values_in_force
from workbench.experiments.agenda import Agenda
from workbench.experiments.events import RunStarted
from workbench.experiments.plan import Plan
from workbench.experiments.run_in_hand import RunInHand


def run_started(held: RunInHand, plan: Plan, agenda: Agenda) -> RunStarted:
    """Return the event of a run whose load begins now."""
    run, schedule, effective = held.run, held.schedule, held.effective
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
        limits=values_in_force(
            configuration.controls, effective.arguments, started_by_us=held.server.command is not None
        ),
    )
