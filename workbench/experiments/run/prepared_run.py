"""One run with everything that its load needs."""

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.controls import Value
from workbench.experiments.plan.plan import Run, server_side
from workbench.experiments.plan.workload import PromptedWorkload, make_schedule
from workbench.experiments.run.run_figures import admission_in, cold_hits
from workbench.experiments.run.run_settings import load_target, run_load_options
from workbench.experiments.spec.experiment import Experiment
from workbench.load import LoadOptions, Target
from workbench.results import RunFrame, RunIdentity
from workbench.servers import EffectiveConfig, Server
from workbench.traces import Schedule


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """One run with its server, its schedule and its load options."""

    run: Run
    server: Server
    effective: EffectiveConfig
    workload: PromptedWorkload
    schedule: Schedule
    options: LoadOptions
    frame: RunFrame
    target: Target
    trace_sha256: str
    asked: Mapping[str, Value]
    """Requested settings: controls, and admission limits among the target's extra arguments."""
    drops_before: int | None = None
    """Number of tunnel drops before the run; None if the requests use no tunnel."""

    @property
    def tunnel_drops(self) -> int:
        """Number of tunnel drops since the run began."""
        return 0 if self.drops_before is None else self.server.drops - self.drops_before

    @property
    def wall_length_s(self) -> float:
        """Wall seconds of the schedule; 0 for a closed loop without an end."""
        return self.frame.length_s / self.options.time_scale

    async def cold_hits(self, sent: int) -> float | None:
        """Return the share of `sent` requests that a cold cache can serve; None if it may be warm."""
        return await cold_hits(self.workload.trace, self.schedule, self.options, self.target.endpoint, sent)

    def identity(self) -> RunIdentity:
        """Return the identity of the run's figures."""
        return RunIdentity(
            simulated=self.effective.simulated,
            profile=self.effective.profile,
            trace_sha256=self.trace_sha256,
            schedule_sha256=self.schedule.sha256(),
            command=self.server.command,
        )


def prepare_run(
    experiment: Experiment,
    run: Run,
    workload: PromptedWorkload,
    server: Server,
    effective: EffectiveConfig,
    cache_salt: str | None,
) -> PreparedRun:
    """Prepare the run for its server; `experiment` is the plan's first, whose constants all share."""
    trace = workload.trace
    schedule = make_schedule(
        trace, experiment.trace, experiment.load, run.rate, run.concurrency, experiment.burst
    )
    options = run_load_options(experiment, run.configuration, effective, schedule.length_s, cache_salt)
    return PreparedRun(
        run=run,
        server=server,
        effective=effective,
        workload=workload,
        schedule=schedule,
        options=options,
        frame=RunFrame(
            length_s=schedule.length_s or 0.0, time_scale=options.time_scale, server_time_scale=1.0
        ),
        target=load_target(experiment, server, effective),
        trace_sha256=trace.sha256(experiment.trace.seed),
        asked={**admission_in(experiment.target.args), **server_side(run.configuration.controls)},
        # Remote load workers have no tunnel between them and the server.
        drops_before=None if experiment.target.load_python is not None else server.drops,
    )
