"""What the window knows of a plan that is being carried out, told by the conductor's events. No Qt here."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Flag, auto
from typing import TYPE_CHECKING, Any

import msgspec

from ui.live.bottlenecks import Diagnosed, LimitStep, from_event, so_far
from ui.live.bursts import Burst
from ui.live.machine import machine_values
from ui.live.prompts import PromptTracks
from ui.live.series import MACHINE_COLUMNS, Curves, RunSeries, append_class
from workbench.base import Message

if TYPE_CHECKING:
    # Only for the checker: the core room loads after the window is up.
    from workbench.experiments import (
        Calibrated,
        Event,
        ExperimentFinished,
        ExperimentStarted,
        LimitChanged,
        LimitsTold,
        MachineSampled,
        MemoryTold,
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
    )
    from workbench.servers import LiveLimit


class Changed(Flag):
    """Which parts of the state an event touched; views redraw by it."""

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


@dataclass(frozen=True)
class LogLine:
    """One line of the log."""

    t: float
    """Seconds since the conductor started; NaN: unknown."""
    source: str
    """server, conductor or window."""
    level: str
    """info, warning or error."""
    text: Message | str


@dataclass
class RunView:
    """One run of the plan, planned or measured."""

    name: str
    experiment: str = ""
    control: str | None = None
    """None: the baseline."""
    value: Any = None
    rate: float | None = None
    concurrency: int | None = None
    repeat: int = 1
    duration_s: float | None = None
    limits: dict[str, Any] = field(default_factory=dict)
    simulated: bool = False
    status: str = "planned"
    """planned, running, done, partial, skipped or failed."""
    row: dict[str, Any] = field(default_factory=dict)
    """The scorecard row, by the CSV's names; empty until it is final."""
    series: RunSeries = field(default_factory=RunSeries)
    machine: RunSeries = field(default_factory=lambda: RunSeries(MACHINE_COLUMNS))
    prompts: PromptTracks = field(default_factory=PromptTracks)
    """How far its long prompts came."""
    moments: list[LimitStep] = field(default_factory=list)
    """Limits that were changed while it ran, by time."""
    classes: dict[str, RunSeries] = field(default_factory=dict)
    """The samples again by class, with that class's own latencies; empty where there is one class."""
    diagnosed: Diagnosed | None = None
    """What the conductor made of it once it had ended."""

    @property
    def is_baseline(self) -> bool:
        """Whether nothing is changed in this run."""
        return self.control is None

    def of_source(self, source: str, cls: str | None = None) -> Curves:
        """The columns of `samples` (of one class, where it is known), of `machine` or of `prompts`."""
        if source == "machine":
            return self.machine
        if source == "prompts":
            return self.prompts
        return self.classes.get(cls, self.series) if cls is not None else self.series

    def trim(self) -> None:
        """It has ended: its curves need no room to grow."""
        for series in (self.series, self.machine, *self.classes.values()):
            series.trim()

    def found(self) -> Diagnosed | None:
        """Which limit bound when: the diagnosis; before there is one, what the samples say so far."""
        if self.diagnosed is not None:
            return self.diagnosed
        return so_far(self.series, self.limits, self.moments) if len(self.series) > 1 else None

    def compares_with(self, other: "RunView") -> bool:
        """Whether both were offered the same load."""
        return self.rate == other.rate and self.concurrency == other.concurrency


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
    """By the experiment's name."""
    runs: dict[str, RunView] = field(default_factory=dict)
    current: str | None = None
    index: int = 0
    server: str = "idle"
    """As in `ServerState`; unknown when the conductor was lost."""
    server_detail: Message | str = ""
    server_url: str | None = None
    server_command: str | None = None
    memory: dict[str, Any] | None = None
    """Of the server that was started last: the fields of `MemoryTold`."""
    live_limits: "dict[str, LiveLimit]" = field(default_factory=dict)
    """What can be changed of the server that runs, by name; empty: it has not told yet."""
    limit_changes: "list[LimitChanged]" = field(default_factory=list)
    """Every change, refused ones too."""
    progress: "Progress | None" = None
    calibration: "Calibrated | None" = None
    """What the load generator resolves, as far as it was told: not of a simulated server."""
    report: list[str | Message] = field(default_factory=list)
    verdicts: list[dict[str, Any]] = field(default_factory=list)
    """`results.Verdict` of each variant, figure and class with its sentence; empty until the plan is done."""
    choice: dict[str, Any] | None = None
    """`results.Choice` once the plan is done."""
    csv: str | None = None
    messages: "deque[Notice]" = field(default_factory=deque)
    """Not yet shown to the user."""
    log: deque[LogLine] = field(default_factory=deque)
    """Not yet taken by the log's model."""
    read_only: bool = False
    """A bench file opened from disk."""
    experiments: list[str] = field(default_factory=list)
    """Of a bench file, also when its plan is gone on with: its experiments as TOML."""
    base: str = ""
    """Of a bench file: the folder that its relative paths started from; empty: not recorded."""
    unfinished: bool = False
    """Of a bench file: its plan was not done to its end."""
    before: dict[str, RunView] = field(default_factory=dict)
    """Where a plan is gone on with: its runs as they were shown then."""

    @property
    def can_go_on(self) -> bool:
        """Whether something of this plan is left to be done."""
        return self.unfinished or self.phase in ("stopped", "failed")

    @property
    def invalid(self) -> list[RunView]:
        """Runs that came to their end and from which nothing can be concluded."""
        own = (run for run in self.runs.values() if run.status == "done")
        return [run for run in own if run.row and run.row.get("valid") is False]

    @property
    def live(self) -> bool:
        """Whether a conductor is at work on it."""
        return self.phase in LIVE_PHASES

    def current_run(self) -> RunView | None:
        """The run that is measured, or was measured last."""
        return self.runs.get(self.current) if self.current else None

    def baseline_of(self, run: RunView) -> RunView | None:
        """The baseline under the same load that has data; None for a baseline itself."""
        if run.is_baseline:
            return None
        same = [other for other in self.runs.values() if other.is_baseline and other.compares_with(run)]
        measured = [other for other in same if other.row or len(other.series)]
        matching = [other for other in measured if other.repeat == run.repeat] or measured
        return matching[0] if matching else None

    def apply(self, event: "Event") -> Changed:
        """Take in one event by the method of its type; returns what it touched.

        What a newer conductor may say besides is passed over.
        """
        take: Callable[[Event], Changed] | None = getattr(self, f"_take_{event.__struct_config__.tag}", None)
        return Changed.NOTHING if take is None else take(event)

    def _take_progress(self, event: "Progress") -> Changed:
        self.progress = event
        return Changed.PROGRESS

    def _take_calibration(self, event: "Calibrated") -> Changed:
        self.calibration = event
        return Changed.PROGRESS

    def _take_server_log(self, event: "ServerLog") -> Changed:
        return self._add_line(LogLine(event.t, "server", level_of(event.line), event.line))

    def _take_message(self, event: "Notice") -> Changed:
        self.messages.append(event)
        return Changed.MESSAGES | self._add_line(LogLine(event.t, "conductor", event.level, event.said))

    def _add_line(self, line: LogLine) -> Changed:
        self.log.append(line)
        return Changed.LOG

    def _take_experiment_started(self, event: "ExperimentStarted") -> Changed:
        self.phase = "starting"
        self.name, self.bench = event.name, event.bench
        self.target, self.profile, self.simulated = event.target, event.profile, event.simulated
        self.trace, self.trace_sha256 = event.trace, event.trace_sha256
        self.objectives, self.limits = dict(event.objectives), dict(event.limits)
        self.runs = {planned.run: self._planned(planned, event) for planned in event.plan}
        # Another tool's results in the same file are no part of the plan, and stay.
        self.runs |= {name: run for name, run in self.before.items() if run.status == "imported"}
        return Changed.PLAN | Changed.ROWS

    def _planned(self, planned: "PlannedRun", event: "ExperimentStarted") -> RunView:
        """A run of the plan, with the curves that it has if it was measured before."""
        run = _planned(planned, simulated=event.simulated)
        known = self.before.get(planned.run)
        if known is not None:
            run.series, run.machine, run.classes = known.series, known.machine, known.classes
            run.prompts, run.moments, run.diagnosed = known.prompts, known.moments, known.diagnosed
            run.duration_s, run.limits = known.duration_s, known.limits
        return run

    def _take_run_started(self, event: "RunStarted") -> Changed:
        run = self.runs.setdefault(event.run, RunView(event.run))
        run.experiment, run.control, run.value = event.experiment, event.control, event.value
        run.rate, run.duration_s, run.simulated = event.rate, event.duration_s, event.simulated
        run.limits, run.status, run.series = dict(event.limits), "running", RunSeries()
        run.diagnosed, run.machine, run.moments, run.classes = None, RunSeries(MACHINE_COLUMNS), [], {}
        run.row = {}  # of an earlier try
        run.prompts = PromptTracks()
        self.current, self.index = event.run, event.index
        if self.phase == "starting":
            self.phase = "running"
        return Changed.RUN | Changed.ROWS

    def _take_sample(self, event: "SampleTaken") -> Changed:
        run = self.runs.get(event.run)
        if run is None:
            return Changed.NOTHING
        run.series.append(event)
        for cls, figures in event.classes.items():
            append_class(run.classes.setdefault(cls, RunSeries()), event, figures)
        return Changed.SAMPLES

    def _take_machine(self, event: "MachineSampled") -> Changed:
        run = self.runs.get(event.run)
        if run is None:
            return Changed.NOTHING
        run.machine.append_values(event.run_t, machine_values(event, event.gpus))
        return Changed.SAMPLES

    def _take_prefill(self, event: "PrefillTracked") -> Changed:
        run = self.runs.get(event.run)
        if run is None:
            return Changed.NOTHING
        run.prompts.take(event)
        return Changed.SAMPLES

    def _take_run_finished(self, event: "RunFinished") -> Changed:
        run = self.runs.setdefault(event.run, RunView(event.run))
        run.status, run.row = event.status, dict(event.row)
        run.trim()
        if self.server != "busy":
            return Changed.ROWS | Changed.RUN
        # Its last request has ended with the run.
        self.server = "ready"
        return Changed.ROWS | Changed.RUN | Changed.SERVER

    def _take_diagnosis(self, event: "RunDiagnosed") -> Changed:
        run = self.runs.get(event.run)
        if run is None:
            return Changed.NOTHING
        run.diagnosed = from_event(event)
        return Changed.DIAGNOSIS

    def _take_limits(self, event: "LimitsTold") -> Changed:
        self.live_limits = {limit.name: limit for limit in event.limits}
        return Changed.LIMITS

    def _take_limit(self, event: "LimitChanged") -> Changed:
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

    def _take_server_state(self, event: "ServerState") -> Changed:
        self.server, self.server_detail = event.state, event.message or event.detail
        self.server_url = event.url or self.server_url
        self.server_command = event.command or self.server_command
        level = "error" if event.state == "failed" else "info"
        text = f"server {event.state}" + (f": {event.detail}" if event.detail else "")
        self.log.append(LogLine(event.t, "conductor", level, text))
        return Changed.SERVER | Changed.LOG

    def _take_memory(self, event: "MemoryTold") -> Changed:
        self.memory = msgspec.to_builtins(event)
        return Changed.SERVER

    def _take_experiment_finished(self, event: "ExperimentFinished") -> Changed:
        self.phase = {"done": "finished", "stopped": "stopped"}.get(event.status, "failed")
        self.bench, self.csv = event.bench, event.csv
        self.report = [*(event.report_messages or event.report)]
        self.verdicts, self.choice = list(event.verdicts), event.choice
        self.log.extend(LogLine(event.t, "conductor", "info", sentence) for sentence in self.report)
        self._close_runs()
        return Changed.END | Changed.ROWS | Changed.RUN | Changed.LOG

    def conductor_ended(self) -> Changed:
        """The conductor's process is gone; without its last event that is a failure."""
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
    """The level of a server's log line, by the words vLLM begins its lines with."""
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
