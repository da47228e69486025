"""The conductor's events: one JSON object a line, `{"type": …, "t": …}` (docs/reference/events.md).

`t` is seconds since the conductor started. Figures are in simulated seconds where a run is simulated.
"""

from typing import Any

import msgspec

from workbench.base import Message, Refusal, WorkbenchError, WorkFailure, message
from workbench.servers import LiveLimit


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of all events."""

    t: float = 0.0


class PlannedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the plan, before it is carried out."""

    run: str
    """Name shown, such as `baseline @ 12 req/s`; unique within the plan."""
    experiment: str
    control: str | None
    """None for the baseline."""
    value: Any
    rate: float | None
    concurrency: int | None
    repeat: int
    expected_s: float
    """Wall seconds that the run is expected to take, server restart included."""


class ExperimentStarted(Event, frozen=True, kw_only=True, tag="experiment_started"):
    """The plan is fixed and the bench file open."""

    name: str
    bench: str
    plan: list[PlannedRun]
    simulated: bool
    profile: str | None
    target: str
    trace: str
    trace_sha256: str
    objectives: dict[str, Any]
    limits: dict[str, Any]
    """The baseline's controls."""


class ServerState(Event, frozen=True, kw_only=True, tag="server_state"):
    """The server's life: idle, starting, ready, busy, degraded, stopping, stopped, failed.

    From the first sample of a run in which it has a request, running or waiting, it is busy; with that run's
    `run_finished` it is ready again, which no event of its own says.
    """

    state: str
    detail: str = ""
    message: Message | None = None
    """The detail as data; None where it is a text only."""
    url: str | None = None
    command: str | None = None
    """As shown to the user: quoted, secrets masked."""
    pid: int | None = None


class ServerLog(Event, frozen=True, kw_only=True, tag="server_log"):
    """One line that the server printed, secrets masked."""

    line: str


class LimitsReported(Event, frozen=True, kw_only=True, tag="limits"):
    """The server is ready: what of it can be changed while it runs, and what can't and why."""

    limits: list[LiveLimit]


class LiveLimitChanged(Event, frozen=True, kw_only=True, tag="limit"):
    """A limit of the running server was changed, or refused."""

    run: str | None
    """None: between runs."""
    run_t: float | None
    """Seconds since the schedule's start, as a sample's; None before that is fixed."""
    name: str
    asked: Any
    old: int | None
    """What held before; None: not known."""
    new: int | None
    """What holds from the server's next step on; as `old` where it was refused."""
    accepted: bool
    refusal: str | None
    message: Message | None = None
    """The refusal as data; None where it is a text only."""
    by: str
    """user, switchback, plan (the run's own value, before it begins) or restored (the launched one)."""


class MemoryReported(Event, frozen=True, kw_only=True, tag="memory"):
    """A server that we started is ready: what its log says of its memory beside what was estimated."""

    server: dict[str, Any]
    """`advice.sizing.ServerMemory` by its field names, of one GPU in GiB; None: not said."""
    estimate: dict[str, Any] | None
    """`advice.SizingEstimate` by its field names; None: there is none, and `why` says why."""
    differences: list[str]
    """One sentence for each figure that both know."""
    why: str | None = None
    message: Message | None = None
    """The reason as data; None where it is a text only."""


class RunStarted(Event, frozen=True, kw_only=True, tag="run_started"):
    """The server is ready and the load begins."""

    run: str
    index: int
    """From 1."""
    of: int
    experiment: str
    control: str | None
    value: Any
    rate: float | None
    duration_s: float
    """Length of the schedule."""
    requests: int
    simulated: bool
    limits: dict[str, Any]
    """Every control's value in this run."""


class SampleTaken(Event, frozen=True, kw_only=True, tag="sample"):
    """Four times a second: what the plots draw. None is unknown."""

    run: str
    run_t: float
    """Seconds since the schedule's start."""
    running: float | None = None
    waiting: float | None = None
    kv_usage: float | None = None
    ttft_p50_ms: float | None = None
    """Over first tokens of the last seconds."""
    ttft_p95_ms: float | None = None
    oldest_waiting_s: float | None = None
    queue_ms: float | None = None
    """Mean queue time of requests that finished in the last seconds, or since the last sample where the
    server doesn't report each request's."""
    input_tok_s: float | None = None
    output_tok_s: float | None = None
    preemptions: float | None = None
    """Since the run's start."""
    offered_rps: float | None = None
    completed_rps: float | None = None
    in_flight: int | None = None
    completed: int | None = None
    failed: int | None = None
    rejected: int | None = None
    client_delay_p99_ms: float | None = None
    itl_p50_ms: float | None = None
    """Pooled over the tokens of requests that finished in the last seconds."""
    itl_p95_ms: float | None = None
    prefill_ms: float | None = None
    """Mean over requests that finished in the last seconds, from scheduling to the first token, as the server
    reports it for each; None where it doesn't."""
    outside_ms: float | None = None
    """Of the same requests, what of TTFT is neither queue nor prefill: client, network, front end."""
    rejected_rps: float | None = None
    classes: dict[str, dict[str, float | None]] = {}
    """By class, where there are several: TTFT and ITL (p50, p95) and the parts of TTFT of requests that
    finished in the last seconds."""


class PrefillTracked(Event, frozen=True, kw_only=True, tag="prefill"):
    """How far long prompts have come, where the server's steps are recorded.

    Once at the run's begin without prompts, for it is known from now on; then at most four times a second. Of
    a server elsewhere only at the end.
    """

    run: str
    run_t: float
    """Seconds since the schedule's start, as a sample's."""
    prompts: list[dict[str, Any]] = []
    """`{id, tokens, points[[run_t, computed], …]}`: points since the event before, tokens of the prompt that
    had been scheduled then."""
    step_tokens: int | None = None
    """Prompts of more tokens are long: the most that a step takes of one."""
    whole: bool = False
    """The run has ended and this is all of it, thinned out; it takes the place of what was told before."""


class MachineSampled(Event, frozen=True, kw_only=True, tag="machine"):
    """About once a second during a run: the machine under the server. None: not told."""

    run: str
    run_t: float
    """Seconds since the schedule's start, as a sample's; rates are over the wall second before."""
    host_cpu: float | None = None
    """Busy share of all cores, 0 to 1."""
    api_cpu: float | None = None
    """Cores busy with the server's HTTP process and its helpers."""
    engine_cpu: float | None = None
    """Cores busy with the engine's process."""
    worker_cpu: float | None = None
    client_cpu: float | None = None
    """Cores busy with the busiest of the load workers, on this machine."""
    net_received: float | None = None
    """Bytes a second, without the loopback."""
    net_sent: float | None = None
    disk_read: float | None = None
    """Bytes a second."""
    gpus: list[dict[str, Any]] = []
    """`results.GpuSample` by its field names, bytes and shares of 1."""
    others_cpu: float | None = None
    """Share of the usable cores that processes took which are neither ours nor the server's, 0 to 1."""
    client_others_cpu: float | None = None
    """The same on the machine that the load comes from, where the server runs on another one."""


class ClientCalibrated(Event, frozen=True, kw_only=True, tag="calibration"):
    """Before the first run: what the load generator can resolve, measured against a server of known times."""

    state: str
    """running, done, failed, or kept: one of the last day holds."""
    expected_s: float | None = None
    """Of `running`: wall seconds."""
    columns: dict[str, Any] = {}
    """The scorecard's columns `client_floor_ttft_ms`, `client_floor_itl_ms`, `client_limit_tok_s`,
    `calibrated_utc`, `calibrated_path`, `path_ms` that are stored with every run."""


class Progress(Event, frozen=True, kw_only=True, tag="progress"):
    """Where the plan stands; wall seconds."""

    run: str
    phase: str
    """starting server, comparing answers, warming up, measuring, draining, computing."""
    run_elapsed_s: float
    run_left_s: float
    plan_left_s: float


class RunFinished(Event, frozen=True, kw_only=True, tag="run_finished"):
    """A row of the scorecard is final and stored."""

    run: str
    status: str
    """done, partial (stopped), skipped or failed."""
    row: dict[str, Any]
    """The scorecard row by the CSV's column names."""


class RunDiagnosed(Event, frozen=True, kw_only=True, tag="diagnosis"):
    """Which limit bound when in a run that has just finished, and the next single change worth trying."""

    run: str
    headline: str
    strip: list[dict[str, Any]]
    """Stretches `{begin, end, bound}` along the run, seconds of the schedule."""
    shares: dict[str, float]
    """Share of the run's time by bound, largest first."""
    next_change: str | None
    sentences: list[str]
    """Everything that can be said, short and plain, most important first."""
    change: dict[str, Any] | None = None
    """`advice.Change` behind `next_change`: control, value, text, watch, cost."""
    against_baseline: list[str] = []
    """Of a variant: what moved against the baseline under the same load, and whether the limit did."""
    impossible: list[str] = []
    """Figures that can't be right: what follows from them can't either."""
    findings: list[dict[str, Any]] = []
    """`advice.Finding`: rule, bound, verdict, evidence, moments, share, confidence, change, source."""
    reaches: list[dict[str, Any]] = []
    """`advice.Reach` of each known limit: control, limit, reached, verdict."""
    classes: dict[str, list[str]] = {}
    """Sentences on each class of requests, where there are several."""
    unseen: list[str] = []
    """What could not be looked at."""


class Notice(Event, frozen=True, kw_only=True, tag="message"):
    """Something worth saying to the user."""

    level: str
    """info, warning or error."""
    text: str
    """In English."""
    message: Message | None = None
    """The text as data, for the reader's language; None where it is a text only."""

    @property
    def said(self) -> Message | str:
        """The message as data where it is known, else its text."""
        return self.text if self.message is None else self.message


def as_data(said: Message | WorkbenchError | str) -> Message | str:
    """Return a message or an error as data, with the error's place; a text stays a text."""
    if isinstance(said, Refusal | WorkFailure):
        place = str(said.place)
        return about(place, said.message) if place else said.message
    return str(said) if isinstance(said, WorkbenchError) else said


def about(subject: str, said: Message | WorkbenchError | str) -> Message:
    """Return `SUBJECT: SAID`, such as a run's name before what happened to it."""
    return message("experiments.about", subject=subject, said=as_data(said))


def notice(level: str, said: Message | WorkbenchError | str) -> Notice:
    """Return the event that says something to the user; `level` is info, warning or error."""
    data = as_data(said)
    return Notice(level=level, text=str(data), message=data if isinstance(data, Message) else None)


class ExperimentFinished(Event, frozen=True, kw_only=True, tag="experiment_finished"):
    """The last event: everything is stored."""

    status: str
    """done, stopped or failed."""
    bench: str
    csv: str | None
    report: list[str]
    """Sentences on what was seen and on what to choose."""
    verdicts: list[dict[str, Any]] = []
    """`results.Verdict` of each variant, figure and class, with its `sentence`."""
    choice: dict[str, Any] | None = None
    """`results.Ranking`: recommended, others, by."""


AnyEvent = (
    ExperimentStarted
    | ServerState
    | ServerLog
    | LimitsReported
    | LiveLimitChanged
    | MemoryReported
    | RunStarted
    | SampleTaken
    | PrefillTracked
    | MachineSampled
    | ClientCalibrated
    | Progress
    | RunFinished
    | RunDiagnosed
    | Notice
    | ExperimentFinished
)


class Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line on the conductor's standard input: stop (now), stop_after_run, skip, limit."""

    command: str
    name: str | None = None
    """Of `limit`: which."""
    value: Any = None
    """Of `limit`: the new value."""


def encode_event(event: Event) -> bytes:
    """One line, newline included."""
    return msgspec.json.encode(event) + b"\n"


_decoder = msgspec.json.Decoder(AnyEvent)


def decode_event(line: bytes | str) -> Event:
    """Read one line.

    Raises:
        msgspec.DecodeError: not an event of this version.
    """
    return _decoder.decode(line)
