"""Playing a demo's variant exactly, in virtual time."""

from dataclasses import dataclass

from workbench.engine.demos.demo import Demo, Variant
from workbench.engine.flags import scheduler_config
from workbench.engine.replay import Life, Replay, ReplayFigures, jobs_of, lead_in_s
from workbench.profiles import load_profile
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


def play(demo: Demo, variant: Variant) -> Played:
    """Replay one variant.

    Raises:
        InputError: its settings are not possible.
    """
    profile, settings = load_profile(demo.profile), demo.settings(variant)
    config = scheduler_config(settings, profile)
    trace = read_trace(demo.trace)
    jobs = jobs_of(trace, open_loop(trace), config, lead_in_s=lead_in_s(demo.trace))
    replay = Replay(
        jobs,
        config,
        profile.step_model,
        max_num_queued_reqs=settings.get("max_num_queued_reqs"),
        request_overhead_s=profile.request_overhead_us * 1e-6,
    )
    figures = replay.run()
    return Played(
        figures=figures,
        lives=tuple(replay.tally.lives.get(job.request) for job in jobs),
        classes=tuple(trace.row(number).cls or "" for number in range(len(trace))),
    )
