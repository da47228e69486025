"""Demos from `resources/demos`, and their exact replay."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import UNREADABLE, Place, Record, Refusal, resource
from workbench.engine.flags import scheduler_config
from workbench.engine.replay import Replay, ReplayFigures, ReplayJob, RequestTimes, jobs_of, lead_in_s
from workbench.engine.scheduler import SchedulerConfig
from workbench.profiles import StepModel, load_profile
from workbench.traces import open_loop, read_trace


class Expectation(Record, frozen=True):
    """Expected value of a figure (`FIGURES`), for a class or all, over a span if the figure has one."""

    figure: str
    value: float
    cls: str | None = msgspec.field(default=None, name="class")
    from_s: float = 0.0
    to_s: float | None = None


class Variant(Record, frozen=True):
    """A configuration of the demo: changed settings, narration, expected figures."""

    name: str
    say: str
    settings: dict[str, Any]
    expect: list[Expectation]


class _DemoFile(Record, frozen=True):
    title: str
    question: str
    narration: list[str]
    trace: str
    profile: str
    settings: dict[str, Any]
    variant: list[Variant]


class Demo:
    """A demo: `title`, `question`, `narration`, the trace's path, the profile's name, variants.

    `shared_settings` and what a variant changes are controls by vLLM's names, as in `workbench.engine.flags`.
    """

    def __init__(self, file: Path, content: _DemoFile, traces: Path, profile: str | None = None) -> None:
        self.file = file
        self.name = file.stem
        self.title = content.title
        self.question = content.question
        self.narration = tuple(content.narration)
        self.profile = content.profile
        self.profile_source = profile or content.profile
        """The profile's name, or its own file."""
        self.variants = tuple(content.variant)
        self.shared_settings = content.settings
        self.trace = traces / Path(content.trace).name
        """Path of the canonical trace of all variants."""

    def settings(self, variant: Variant) -> dict[str, Any]:
        """Return the complete settings of a variant."""
        return self.shared_settings | variant.settings


def list_demos() -> list[Demo]:
    """Return all demos in the order of their files' names."""
    return [load_demo(path.stem) for path in sorted(resource("demos").glob("*.toml"))]


def load_demo(name: str) -> Demo:
    """Load a demo by name.

    Raises:
        Refusal: there is none, or its file is not a demo.
    """
    folder = resource("demos")
    path = folder / f"{name}.toml"
    if not path.exists():
        known = sorted(each.stem for each in folder.glob("*.toml"))
        raise Refusal("engine.unknown_demo", name=name, known=known)
    return read_demo(path, folder / "traces")


def read_demo(path: Path, traces: Path, *, profile: str | None = None) -> Demo:
    """Read a demo's story; its trace lies in the folder `traces`.

    Raises:
        Refusal: the file is not a demo.
    """
    try:
        return Demo(path, msgspec.toml.decode(path.read_bytes(), type=_DemoFile), traces, profile)
    except UNREADABLE as error:
        raise Refusal("engine.not_a_demo", Place(file=str(path)), cause=str(error)) from error


# Replay of a variant in virtual time.


@dataclass(frozen=True)
class Played:
    """Result of a replay: figures, and the times and class of each request; None: rejected."""

    figures: ReplayFigures
    lives: tuple[RequestTimes | None, ...]
    classes: tuple[str, ...]

    def of(self, cls: str | None) -> list[RequestTimes]:
        """Return the times of a class, or of all, without rejected requests."""
        pairs = zip(self.lives, self.classes, strict=True)
        return [life for life, own in pairs if life is not None and cls in (None, own)]


@dataclass(frozen=True)
class Prepared:
    """A variant, ready for replay."""

    jobs: list[ReplayJob]
    config: SchedulerConfig
    step_model: StepModel
    max_num_queued_reqs: int | None
    request_overhead_s: float
    classes: tuple[str, ...]

    def played(self, replay: Replay, figures: ReplayFigures) -> Played:
        """Return the result of a replay of these jobs."""
        lives = tuple(replay.tally.lives.get(job.request) for job in self.jobs)
        return Played(figures=figures, lives=lives, classes=self.classes)


def prepare(demo: Demo, variant: Variant) -> Prepared:
    """Prepare the replay of a variant.

    Raises:
        Refusal: vLLM would refuse its settings.
    """
    profile, settings = load_profile(demo.profile_source), demo.settings(variant)
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
    """Replay a variant.

    Raises:
        Refusal: vLLM would refuse its settings.
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
