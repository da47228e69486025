"""The window's model of a plan, built from the conductor's events. No Qt."""

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Flag, auto
from typing import TYPE_CHECKING, Any

import msgspec

from ui.live.bottlenecks import Diagnosed, LimitStep, NextChange, diagnose_samples, read_diagnosis
from ui.live.bursts import Burst
from ui.live.conclusions import FigureVerdict, Ranking, read_ranking, read_verdicts
from ui.live.machine import machine_values
from ui.live.prompts import PromptTracks
from ui.live.series import ENGINE_COLUMNS, MACHINE_COLUMNS, Curves, RunSeries, append_class
from workbench.base import Message, message, templates
from workbench.controls import CONTROLS

if TYPE_CHECKING:
    # For the type checker only: the core loads after the window is up.
    from workbench.experiments import (
        ClientCalibrated,
        Event,
        ExperimentFinished,
        ExperimentStarted,
        LimitsReported,
        LiveLimitChanged,
        MachineSampled,
        MemoryReported,
        Notice,
        PlannedRun,
        PrefillTracked,
        Progress,
        RunDiagnosed,
        RunFinished,
        RunStarted,
        SampleTaken,
        ServerLog,
        ServerState,
        StepsRecorded,
    )
    from workbench.servers import LiveLimit


class Changed(Flag):
    """The parts of the state that an event changed; widgets redraw by it."""

    NOTHING = 0
    PLAN = auto()
    RUN = auto()
    SAMPLES = auto()
    ROWS = auto()
    SERVER = auto()
    PROGRESS = auto()
    LOG = auto()
    MESSAGES = auto()
    END = auto()
    DIAGNOSIS = auto()
    LIMITS = auto()
    SNAPSHOT = auto()
    """The moment of the shown figures, once a second."""


@dataclass(frozen=True)
class LogLine:
    """One line of the log."""

    t: float
    """Seconds since the conductor started; NaN if unknown."""
    source: str
    """server, conductor or window."""
    level: str
    """info, warning or error."""
    text: Message | str


_SERVER_STATES = frozenset(f"ui.{name}" for name in templates("en", "ui") if name.startswith("server_"))


@dataclass
class RunView:
    """One run of the plan, planned or measured."""

    name: str
    experiment: str = ""
    control: str | None = None
    """Control under test; None for the baseline."""
    value: Any = None
    rate: float | None = None
    concurrency: int | None = None
    repeat: int = 1
    duration_s: float | None = None
    limits: dict[str, Any] = field(default_factory=dict)
    simulated: bool = False
    watched: bool = False
    """The program sends nothing, so single requests are unknown."""
    status: str = "planned"
    """planned, running, done, partial, skipped, failed, imported or watched."""
    row: dict[str, Any] = field(default_factory=dict)
    """The scorecard row by CSV column, with `reason_messages`; empty until it is final."""
    series: RunSeries = field(default_factory=RunSeries)
    machine: RunSeries = field(default_factory=lambda: RunSeries(MACHINE_COLUMNS))
    prompts: PromptTracks = field(default_factory=PromptTracks)
    """The progress of its long prompts."""
    recorded: "StepsRecorded | None" = None
    """Files in which its steps are being written; None if they aren't, or elsewhere."""
    moments: list[LimitStep] = field(default_factory=list)
    """Limits that changed during the run, by time."""
    classes: dict[str, RunSeries] = field(default_factory=dict)
    """The samples by class, with each class's own latencies; empty if there is one class."""
    engines: dict[str, RunSeries] = field(default_factory=dict)
    """Samples of each engine or replica by name; empty with one."""
    diagnosed: Diagnosed | None = None
    """The conductor's diagnosis at the run's end."""
    shown_t: float = math.nan
    """Moment of the figures that all panels show now, in seconds of the run; NaN for the newest sample."""
    _so_far: tuple[object, Diagnosed | None] = field(default=(None, None), repr=False, compare=False)
    """The diagnosis of the samples so far, with what it rests on."""

    @property
    def is_baseline(self) -> bool:
        """True if no control is changed in this run."""
        return self.control is None

    @property
    def engine_count(self) -> int:
        """Engines or replicas behind the samples; each has the limits for itself."""
        return max(1, len(self.engines))

    def of_source(self, source: str, cls: str | None = None) -> Curves:
        """Return the data of `samples` (of one class, if known), `machine` or `prompts`."""
        if source == "machine":
            return self.machine
        if source == "prompts":
            return self.prompts
        return self.classes.get(cls, self.series) if cls is not None else self.series

    def append_engine(self, name: str, run_t: float, values: Sequence[float | None]) -> None:
        """Add one engine's sample: a value or None for each of `ENGINE_COLUMNS`."""
        series = self.engines.setdefault(name, RunSeries(ENGINE_COLUMNS))
        series.append_values(run_t, values)

    def now(self, column: str) -> float | None:
        """Return a sample's column at the moment that all panels show; None if unknown."""
        if math.isnan(self.shown_t) or self.status != "running":
            return self.series.last(column)
        return self.series.value_near(column, self.shown_t)

    def trim(self) -> None:
        """Free unused memory at the run's end."""
        for series in (self.series, self.machine, *self.classes.values(), *self.engines.values()):
            series.trim()

    def diagnosis(self) -> Diagnosed | None:
        """Return the diagnosis; until there is one, the bottlenecks from the samples so far."""
        if self.diagnosed is not None:
            return self.diagnosed
        if len(self.series) < 2:
            return None
        key = (self.series.last_time(), len(self.series), len(self.moments))
        if key != self._so_far[0]:
            # Several panels ask at each sample, and a long run has thousands of samples.
            found = diagnose_samples(
                self.series, self.limits, self.moments, self.concurrency, self.engine_count
            )
            self._so_far = (key, found)
        return self._so_far[1]

    def compares_with(self, other: "RunView") -> bool:
        """Return True if both were offered the same load."""
        return self.rate == other.rate and self.concurrency == other.concurrency


_ATTACHED_WORDS = {
    "starting": "connecting",
    "ready": "connected",
    "stopping": "disconnecting",
    "stopped": "disconnected",
}

LIVE_PHASES = ("starting", "running", "stopping")


@dataclass
class LiveState:
    """Everything shown about one plan."""

    phase: str = "empty"
    """empty, starting, running, stopping, finished, stopped or failed."""
    name: str = ""
    bench: str = ""
    target: str = ""
    trace: str = ""
    trace_sha256: str = ""
    profile: str | None = None
    simulated: bool = False
    objectives: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)
    bursts: dict[str, Burst] = field(default_factory=dict)
    """Bursts by the experiment's name."""
    runs: dict[str, RunView] = field(default_factory=dict)
    current: str | None = None
    index: int = 0
    server: str = "idle"
    """State as in `ServerState`; `unknown` if the conductor was lost."""
    server_detail: Message | str = ""
    attached: bool = False
    """The server is of others: connected, never started or stopped."""
    watch: bool = False
    """True while a server is watched under its own traffic and the program sends nothing."""
    server_url: str | None = None
    server_command: str | None = None
    memory: "MemoryReported | None" = None
    """The memory of the last server, as reported."""
    live_limits: "dict[str, LiveLimit]" = field(default_factory=dict)
    """Limits of the running server that can change, by name; empty until they are known."""
    limit_changes: "list[LiveLimitChanged]" = field(default_factory=list)
    """Every change, including refused ones."""
    progress: "Progress | None" = None
    heard_t: float = 0.0
    """Time of the newest event, in seconds since the conductor started."""
    calibration: "ClientCalibrated | None" = None
    """Calibration of the load generator, if known; none for a simulated server."""
    report: list[str | Message] = field(default_factory=list)
    verdicts: Sequence[FigureVerdict] = ()
    """Verdicts on each variant, figure and class; empty until the plan is done."""
    ranking: Ranking | None = None
    """None until the plan is done."""
    csv: str | None = None
    messages: "deque[Notice]" = field(default_factory=deque)
    """Not yet shown to the user."""
    log: deque[LogLine] = field(default_factory=deque)
    """Not yet moved to the log's model."""
    read_only: bool = False
    """A bench file opened from disk."""
    experiments: list[str] = field(default_factory=list)
    """The plan's experiments as TOML."""
    base: str = ""
    """Folder of a bench file's relative paths; empty if not recorded."""
    unfinished: bool = False
    """True if a bench file's plan is not done."""
    before: dict[str, RunView] = field(default_factory=dict)
    """A resumed plan's runs before the resume, or a followed plan's before the window joined."""
    followed: bool = False
    """A plan of another process."""

    @property
    def server_word(self) -> str:
        """Return the server's state in the words for its kind."""
        return _ATTACHED_WORDS.get(self.server, self.server) if self.attached else self.server

    def testable(self, change: NextChange | None) -> bool:
        """Return True if the change names one control, which can be set on this plan's server."""
        control = CONTROLS.get(change.control) if change is not None and change.control else None
        return control is not None and not (self.attached and control.of_server)

    @property
    def phase_word(self) -> str:
        """Return the run's phase in the words for the kind of server; empty if unknown."""
        phase = self.progress.phase if self.progress else ""
        return "connecting" if self.attached and phase == "starting server" else phase

    @property
    def can_go_on(self) -> bool:
        """True if runs of this plan are left."""
        return not self.watch and (self.unfinished or self.phase in ("stopped", "failed"))

    @property
    def invalid(self) -> list[RunView]:
        """Completed runs that allow no conclusion."""
        own = (run for run in self.runs.values() if run.status == "done")
        return [run for run in own if run.row and run.row.get("valid") is False]

    @property
    def live(self) -> bool:
        """True while a conductor works on it."""
        return self.phase in LIVE_PHASES

    @property
    def plan_left_s(self) -> float | None:
        """Wall seconds left of the plan, with starts and the present run; None if unknown or endless."""
        if not self.live or self.progress is None or self.watch:
            return None
        return max(0.0, self.progress.plan_left_s - max(0.0, self.heard_t - self.progress.t))

    def take_snapshot(self) -> None:
        """Let all panels show the newest sample of the present run."""
        run = self.current_run()
        if run is not None and run.status == "running":
            run.shown_t = run.series.last_time()

    def current_run(self) -> RunView | None:
        """Return the run that is measured, or was measured last."""
        return self.runs.get(self.current) if self.current else None

    def baseline_of(self, run: RunView) -> RunView | None:
        """Return the baseline under the same load that has data; None for a baseline itself."""
        if run.is_baseline:
            return None
        same = [other for other in self.runs.values() if other.is_baseline and other.compares_with(run)]
        measured = [other for other in same if other.row or len(other.series)]
        matching = [other for other in measured if other.repeat == run.repeat] or measured
        return matching[0] if matching else None

    def apply(self, event: "Event") -> Changed:
        """Apply one event by the method for its type; return the changed parts.

        Unknown events of a newer conductor are ignored.
        """
        self.heard_t = max(self.heard_t, event.t)
        handle: Callable[[Event], Changed] | None = getattr(self, f"_on_{event.__struct_config__.tag}", None)
        return Changed.NOTHING if handle is None else handle(event)

    def _on_progress(self, event: "Progress") -> Changed:
        self.progress = event
        return Changed.PROGRESS

    def _on_calibration(self, event: "ClientCalibrated") -> Changed:
        self.calibration = event
        return Changed.PROGRESS

    def _on_server_log(self, event: "ServerLog") -> Changed:
        return self._add_line(LogLine(event.t, "server", level_of(event.line), event.line))

    def _on_message(self, event: "Notice") -> Changed:
        self.messages.append(event)
        return Changed.MESSAGES | self._add_line(LogLine(event.t, "conductor", event.level, event.said))

    def _add_line(self, line: LogLine) -> Changed:
        self.log.append(line)
        return Changed.LOG

    def _on_experiment_started(self, event: "ExperimentStarted") -> Changed:
        self.phase = "starting"
        self.name, self.bench = event.name, event.bench
        self.target, self.profile, self.simulated = event.target, event.profile, event.simulated
        self.watch = event.watch
        self.trace, self.trace_sha256 = event.trace, event.trace_sha256
        self.objectives, self.limits = dict(event.objectives), dict(event.limits)
        self.runs = {planned.run: self._planned(planned, event) for planned in event.plan}
        # Another tool's results in the same file are not part of the plan, and stay.
        self.runs |= {name: run for name, run in self.before.items() if run.status == "imported"}
        return Changed.PLAN | Changed.ROWS

    def _planned(self, planned: "PlannedRun", event: "ExperimentStarted") -> RunView:
        """Return a planned run, with its curves if it was measured before."""
        run = _planned(planned, simulated=event.simulated)
        known = self.before.get(planned.run)
        if known is not None:
            run.series, run.machine, run.classes = known.series, known.machine, known.classes
            run.prompts, run.moments, run.diagnosed = known.prompts, known.moments, known.diagnosed
            run.engines = known.engines
            run.duration_s, run.limits = known.duration_s, known.limits
            if self.followed and known.row:
                run.status, run.row = known.status, known.row
        return run

    def _on_run_started(self, event: "RunStarted") -> Changed:
        run = self.runs.setdefault(event.run, RunView(event.run))
        run.experiment, run.control, run.value = event.experiment, event.control, event.value
        run.rate, run.duration_s, run.simulated = event.rate, event.duration_s, event.simulated
        run.limits, run.status, run.series = dict(event.limits), "running", RunSeries()
        run.diagnosed, run.machine, run.moments, run.classes = None, RunSeries(MACHINE_COLUMNS), [], {}
        run.row, run.recorded, run.engines = {}, None, {}  # From an earlier try.
        run.watched = self.watch
        run.prompts, run.shown_t = PromptTracks(), math.nan
        self.current, self.index = event.run, event.index
        if self.phase == "starting":
            self.phase = "running"
        return Changed.RUN | Changed.ROWS

    def _on_sample(self, event: "SampleTaken") -> Changed:
        run = self.runs.get(event.run)
        if run is None:
            return Changed.NOTHING
        run.series.append(event)
        for cls, figures in event.classes.items():
            append_class(run.classes.setdefault(cls, RunSeries()), event, figures)
        for name, engine in event.engines.items():
            run.append_engine(name, event.run_t, [getattr(engine, column) for column in ENGINE_COLUMNS])
        return Changed.SAMPLES

    def _on_machine(self, event: "MachineSampled") -> Changed:
        run = self.runs.get(event.run)
        if run is None:
            return Changed.NOTHING
        run.machine.append_values(event.run_t, machine_values(event, event.gpus))
        return Changed.SAMPLES

    def _on_prefill(self, event: "PrefillTracked") -> Changed:
        run = self.runs.get(event.run)
        if run is None:
            return Changed.NOTHING
        run.prompts.append(event)
        return Changed.SAMPLES

    def _on_steps(self, event: "StepsRecorded") -> Changed:
        run = self.runs.get(event.run)
        if run is None:
            return Changed.NOTHING
        run.recorded = event
        return Changed.RUN

    def _on_run_finished(self, event: "RunFinished") -> Changed:
        run = self.runs.setdefault(event.run, RunView(event.run))
        run.status = event.status
        run.row = {**event.row, "reason_messages": event.reason_messages}
        run.trim()
        if self.server != "busy":
            return Changed.ROWS | Changed.RUN
        # Its last request ended with the run.
        self.server = "ready"
        return Changed.ROWS | Changed.RUN | Changed.SERVER

    def _on_diagnosis(self, event: "RunDiagnosed") -> Changed:
        run = self.runs.get(event.run)
        if run is None:
            return Changed.NOTHING
        run.diagnosed = read_diagnosis(event)
        return Changed.DIAGNOSIS

    def _on_limits(self, event: "LimitsReported") -> Changed:
        self.live_limits = {limit.name: limit for limit in event.limits}
        return Changed.LIMITS

    def _on_limit(self, event: "LiveLimitChanged") -> Changed:
        self.limit_changes.append(event)
        known = self.live_limits.get(event.name)
        if known is not None and event.new is not None:
            self.live_limits[event.name] = msgspec.structs.replace(known, value=event.new)
        run = self.runs.get(event.run) if event.run else None
        if run is None or event.run_t is None or event.new is None:
            return Changed.LIMITS
        if event.accepted and event.old != event.new:
            run.moments.append(LimitStep(event.run_t, event.name, event.old, event.new))
        return Changed.LIMITS

    def _on_server_state(self, event: "ServerState") -> Changed:
        self.server, self.server_detail = event.state, event.message or event.detail
        self.attached = event.attached
        self.server_url = event.url or self.server_url
        self.server_command = event.command or self.server_command
        level = "error" if event.state == "failed" else "info"
        self.log.append(
            LogLine(event.t, "conductor", level, _server_line(self.server_word, self.server_detail))
        )
        return Changed.SERVER | Changed.LOG

    def _on_memory(self, event: "MemoryReported") -> Changed:
        self.memory = event
        return Changed.SERVER

    def _on_experiment_finished(self, event: "ExperimentFinished") -> Changed:
        self.phase = {"done": "finished", "stopped": "stopped"}.get(event.status, "failed")
        self.bench, self.csv = event.bench, event.csv
        self.report = [*(event.report_messages or event.report)]
        self.verdicts, self.ranking = read_verdicts(event.verdicts), read_ranking(event.choice)
        self.log.extend(LogLine(event.t, "conductor", "info", sentence) for sentence in self.report)
        self._close_runs()
        return Changed.END | Changed.ROWS | Changed.RUN | Changed.LOG

    def conductor_ended(self) -> Changed:
        """Mark the plan as failed if the conductor ended without its last event."""
        if not self.live:
            return Changed.NOTHING
        self.phase = "failed"
        self.server, self.server_detail = "unknown", ""
        self._close_runs()
        return Changed.END | Changed.ROWS | Changed.RUN

    def _close_runs(self) -> None:
        for run in self.runs.values():
            if run.status == "running":
                run.status = "partial"
            elif run.status == "planned":
                run.status = "skipped"


def level_of(line: str) -> str:
    """Return the level of a server's log line, from the start of the line."""
    head = line[:80]
    if "ERROR" in head or "CRITICAL" in head or head.startswith("Traceback"):
        return "error"
    return "warning" if "WARNING" in head else "info"


def _planned(planned: "PlannedRun", *, simulated: bool) -> RunView:
    return RunView(
        name=planned.run,
        experiment=planned.experiment,
        control=planned.control,
        value=planned.value,
        rate=planned.rate,
        concurrency=planned.concurrency,
        repeat=planned.repeat,
        simulated=simulated,
    )


def _server_line(state: str, detail: Message | str) -> Message | str:
    """Return the log's line on a server's state."""
    kind = f"ui.server_{state}"
    if kind not in _SERVER_STATES:
        return f"server {state}: {detail}" if detail else f"server {state}"
    named = Message(kind=kind)
    return message("ui.server_detail", state=named, detail=detail) if detail else named
