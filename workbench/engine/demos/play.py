"""Playing a demo's variant exactly, in virtual time."""

from dataclasses import dataclass

from workbench.engine.demos.demo import Demo, Variant
from workbench.engine.flags import scheduler_config
from workbench.engine.replay import Job, Life, Replay, ReplayFigures, jobs_of, lead_in_s
from workbench.engine.scheduler import SchedulerConfig
from workbench.profiles import StepModel, load_profile
from workbench.traces import open_loop, read_trace


@dataclass(frozen=True)
class Played:
    """What came out: the figures of the whole, and each request's life with its class; None was rejected."""

    figures: ReplayFigures
    lives: tuple[Life | None, ...]
    classes: tuple[str, ...]

    def of(self, cls: str | None) -> list[Life]:
        """The lives of one class, or of all; without the rejected."""
        pairs = zip(self.lives, self.classes, strict=True)
        return [life for life, own in pairs if life is not None and cls in (None, own)]


@dataclass(frozen=True)
class Prepared:
    """A variant ready to be replayed."""

    jobs: list[Job]
    config: SchedulerConfig
    step_model: StepModel
    max_num_queued_reqs: int | None
    request_overhead_s: float
    classes: tuple[str, ...]

    def played(self, replay: Replay, figures: ReplayFigures) -> Played:
        """What came out of a replay of these jobs."""
        lives = tuple(replay.tally.lives.get(job.request) for job in self.jobs)
        return Played(figures=figures, lives=lives, classes=self.classes)


def prepare(demo: Demo, variant: Variant) -> Prepared:
    """Everything that a replay of the variant needs.

    Raises:
        InputError: its settings are not possible.
    """
    profile, settings = load_profile(demo.profile), demo.settings(variant)
    config = scheduler_config(settings, profile)
    trace = read_trace(demo.trace)
    return Prepared(
        jobs=list(jobs_of(trace, open_loop(trace), config, lead_in_s=lead_in_s(demo.trace))),
        config=config,
        step_model=profile.step_model,
        max_num_queued_reqs=settings.get("max_num_queued_reqs"),
        request_overhead_s=profile.request_overhead_us * 1e-6,
        classes=tuple(trace.row(number).cls or "" for number in range(len(trace))),
    )


def play(demo: Demo, variant: Variant) -> Played:
    """Replay one variant.

    Raises:
        InputError: its settings are not possible.
    """
    prepared = prepare(demo, variant)
    replay = Replay(
        prepared.jobs,
        prepared.config,
        prepared.step_model,
        max_num_queued_reqs=prepared.max_num_queued_reqs,
        request_overhead_s=prepared.request_overhead_s,
    )
    return prepared.played(replay, replay.run())
