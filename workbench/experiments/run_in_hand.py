"""What one run is made of before its load begins."""

from dataclasses import dataclass

from workbench.experiments.experiment import Experiment
from workbench.experiments.held_texts import HeldWorkload
from workbench.experiments.plan import Run
from workbench.experiments.settings import options_of, target_of
from workbench.experiments.workload import make_schedule
from workbench.load import LoadOptions, Target
from workbench.results import RunFrame, RunIdentity
from workbench.servers import Effective, Server
from workbench.traces import Schedule


@dataclass(frozen=True, slots=True)
class RunInHand:
    """One run with the server that it is measured on, its schedule and how the load is applied."""

    run: Run
    server: Server
    effective: Effective
    workload: HeldWorkload
    schedule: Schedule
    options: LoadOptions
    frame: RunFrame
    target: Target
    trace_sha256: str
    drops_before: int = 0
    """How often the way to the server had dropped before the run."""

    @property
    def drops(self) -> int:
        """How often the way to the server has dropped since the run began."""
        return self.server.drops - self.drops_before

    @property
    def wall_length_s(self) -> float:
        """Wall seconds of the schedule; 0: a closed loop is as long as it takes."""
        return self.frame.length_s / self.options.time_scale

    def identity(self) -> RunIdentity:
        """What its figures are of."""
        return RunIdentity(
            simulated=self.effective.simulated,
            profile=self.effective.profile,
            trace_sha256=self.trace_sha256,
            schedule_sha256=self.schedule.sha256(),
            command=self.server.command,
        )


def take_in_hand(
    experiment: Experiment,
    run: Run,
    workload: HeldWorkload,
    server: Server,
    effective: Effective,
    cache_salt: str | None,
) -> RunInHand:
    """The run as its server can serve it; `experiment` is the plan's first, whose constants all share."""
    trace = workload.trace
    schedule = make_schedule(
        trace, experiment.trace, experiment.load, run.rate, run.concurrency, experiment.burst
    )
    options = options_of(experiment, run.configuration, effective, schedule.length_s, cache_salt)
    return RunInHand(
        run=run,
        server=server,
        effective=effective,
        workload=workload,
        schedule=schedule,
        options=options,
        frame=RunFrame(
            length_s=schedule.length_s or 0.0, time_scale=options.time_scale, server_time_scale=1.0
        ),
        target=target_of(experiment, server, effective),
        trace_sha256=trace.sha256(experiment.trace.seed),
        drops_before=server.drops,
    )
