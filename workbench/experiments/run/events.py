"""The conductor's events: one JSON object a line, `{"type": …, "t": …}` (docs/reference/events.md).

`t` is seconds since the conductor started. Figures of a simulated run are in simulated seconds.
"""

from typing import Any

import msgspec

from workbench.advice import DiagnosisMessages
from workbench.base import Message, Refusal, WorkbenchError, WorkFailure, message
from workbench.servers import LiveLimit


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Base of all events."""

    t: float = 0.0


class PlannedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the plan, before it begins."""

    run: str
    """Name such as `baseline @ 12 req/s`, unique within the plan."""
    experiment: str
    control: str | None
    """The control under test; None for the baseline."""
    value: Any
    rate: float | None
    concurrency: int | None
    repeat: int
    expected_s: float
    """Expected wall seconds of the run, including a restart of the server."""


class ExperimentStarted(Event, frozen=True, kw_only=True, tag="experiment_started"):
    """The plan is fixed and the bench file is open."""

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
    watch: bool = False
    """True if nothing is sent: a server is watched under its own traffic."""


class ServerState(Event, frozen=True, kw_only=True, tag="server_state"):
    """State of the server: idle, starting, ready, busy, degraded, stopping, stopped or failed.

    The server is busy from a run's first sample with a request, running or waiting. With `run_finished` it is
    ready again; no event is sent for that.
    """

    state: str
    detail: str = ""
    message: Message | None = None
    """The detail as data; None if it is text only."""
    url: str | None = None
    command: str | None = None
    """The command as shown to the user: quoted, secrets masked."""
    pid: int | None = None
    attached: bool = False
    """True for a server of others: it is connected, never started or stopped."""


class ServerLog(Event, frozen=True, kw_only=True, tag="server_log"):
    """One line that the server printed, secrets masked."""

    line: str


class LimitsReported(Event, frozen=True, kw_only=True, tag="limits"):
    """The limits of the server that is now ready, and which of them can change while it runs."""

    limits: list[LiveLimit]


class LiveLimitChanged(Event, frozen=True, kw_only=True, tag="limit"):
    """A limit of the running server was changed, or the change was refused."""

    run: str | None
    """The run; None between runs."""
    run_t: float | None
    """Seconds since the schedule's start, as in a sample; None before the start is fixed."""
    name: str
    asked: Any
    old: int | None
    """The value before the change; None if unknown."""
    new: int | None
    """The value from the server's next step on; equals `old` if the change was refused."""
    accepted: bool
    refusal: str | None
    message: Message | None = None
    """The refusal as data; None if it is text only."""
    by: str
    """user, switchback, plan (the run's own value, before it begins) or restored (the launched value)."""


class MemoryReported(Event, frozen=True, kw_only=True, tag="memory"):
    """Memory of a server that we started, from its log, beside the estimate."""

    server: dict[str, Any]
    """Fields of `advice.sizing.ServerMemory`, of one GPU in GiB; None if the log doesn't name it."""
    estimate: dict[str, Any] | None
    """Fields of `advice.SizingEstimate`; None without an estimate, and `why` gives the reason."""
    differences: list[str]
    """One sentence for each figure that both have."""
    why: str | None = None
    message: Message | None = None
    """The reason as data; None if it is text only."""


class RunStarted(Event, frozen=True, kw_only=True, tag="run_started"):
    """The server is ready and the load begins."""

    run: str
    index: int
    """Number of the run, from 1."""
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


class EngineSample(msgspec.Struct, frozen=True, kw_only=True):
    """One engine or replica of several, at a sample. None is unknown."""

    running: float | None = None
    waiting: float | None = None
    kv_usage: float | None = None


class SampleTaken(Event, frozen=True, kw_only=True, tag="sample"):
    """The values that the live plots draw, four times a second. None is unknown."""

    run: str
    run_t: float
    """Seconds since the schedule's start."""
    running: float | None = None
    waiting: float | None = None
    kv_usage: float | None = None
    ttft_p50_ms: float | None = None
    """Median TTFT of the first tokens of the last seconds."""
    ttft_p95_ms: float | None = None
    oldest_waiting_s: float | None = None
    queue_ms: float | None = None
    """Mean queue time of the requests that finished in the last seconds.

    Since the last sample, if the server doesn't report each request's queue time.
    """
    input_tok_s: float | None = None
    output_tok_s: float | None = None
    preemptions: float | None = None
    """Number since the run's start."""
    offered_rps: float | None = None
    completed_rps: float | None = None
    in_flight: int | None = None
    completed: int | None = None
    failed: int | None = None
    rejected: int | None = None
    client_delay_p99_ms: float | None = None
    itl_p50_ms: float | None = None
    """Median ITL, pooled over the tokens of requests that finished in the last seconds."""
    itl_p95_ms: float | None = None
    prefill_ms: float | None = None
    """Mean time from scheduling to the first token, over requests that finished in the last seconds.

    None if the server doesn't report it for each request.
    """
    outside_ms: float | None = None
    """Rest of TTFT beside the other parts for the same requests: client, network, front end."""
    admission_wait_ms: float | None = None
    """Mean wait in the client for its cap on open requests, of requests that finished in the last seconds."""
    held: int | None = None
    """Requests that are due and that the client holds back."""
    rejected_rps: float | None = None
    server_ttft_ms: float | None = None
    """In a watch: mean TTFT of the last seconds by the server's own histogram, exact to its sum and count.

    It begins when the server receives the request.
    """
    server_itl_ms: float | None = None
    """In a watch: mean ITL of the last seconds by the server's own histogram."""
    classes: dict[str, dict[str, float | None]] = {}
    """By class, if there are several: TTFT, ITL (p50, p95) and the parts of TTFT.

    Over requests that finished in the last seconds.
    """
    waiting_imbalance: float | None = None
    """Longest queue / mean queue between engines, now; None with one engine, or without a queue."""
    request_imbalance: float | None = None
    """Requests of the busiest engine / mean of the engines, finished since the run's start."""
    kv_imbalance: float | None = None
    """KV usage of the fullest engine / mean of the engines, now."""
    engines: dict[str, EngineSample] = {}
    """Each engine or replica by its name; empty with one."""


class TrackedPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """New points of one long prompt."""

    id: str
    """The engine's id."""
    tokens: int
    points: list[tuple[float, int]]
    """Seconds since the schedule's start, and prompt tokens scheduled by then."""


class PrefillTracked(Event, frozen=True, kw_only=True, tag="prefill"):
    """Progress of long prompts, if the server's steps are recorded.

    Sent once without prompts when a run begins, then at most four times a second. For a remote server the
    progress comes only at the run's end.
    """

    run: str
    run_t: float
    """Seconds since the schedule's start, as in a sample."""
    prompts: list[TrackedPrompt] = []
    """Prompts with the points since the last event."""
    step_tokens: int | None = None
    """Most tokens of one prompt in a step; a prompt with more tokens is long."""
    whole: bool = False
    """True for the whole run, thinned out, after its end; it replaces the events before."""


class StepsRecorded(Event, frozen=True, kw_only=True, tag="steps"):
    """Sent when a run has started: the file to which its server writes the step record.

    Sent once a run, if its server writes them on this machine.
    """

    run: str
    zero: float
    """The schedule's start on the engines' clock, in wall seconds."""
    records: list[tuple[str, int]]
    """File of each engine's record, and the first byte of the run in it."""
    classes: list[str] = []
    """The trace's classes; empty if unknown."""
    row_classes: list[int] = []
    """Index of each trace row's class (-1: none), if there are several.

    Request k is of row k modulo the number of rows.
    """


class MachineSampled(Event, frozen=True, kw_only=True, tag="machine"):
    """State of the server's machine, about once a second during a run. None is unknown."""

    run: str
    run_t: float
    """Seconds since the schedule's start, as in a sample; rates are over the last wall second."""
    host_cpu: float | None = None
    """Busy share of all cores, 0 to 1."""
    api_cpu: float | None = None
    """Cores busy with the server's HTTP process and its helpers."""
    engine_cpu: float | None = None
    """Cores busy with the engine's process."""
    worker_cpu: float | None = None
    client_cpu: float | None = None
    """Cores busy with the busiest load worker, on this machine."""
    net_received: float | None = None
    """Bytes a second, without the loopback."""
    net_sent: float | None = None
    disk_read: float | None = None
    """Bytes a second."""
    gpus: list[dict[str, Any]] = []
    """Fields of `results.GpuSample`, in bytes and shares of 1."""
    others_cpu: float | None = None
    """Share of the usable cores taken by processes that belong neither to us nor to the server, 0 to 1."""
    client_others_cpu: float | None = None
    """The same share on the load's machine, if the server runs on another one."""


class ClientCalibrated(Event, frozen=True, kw_only=True, tag="calibration"):
    """The load generator's resolution, measured before the first run against a server of known times."""

    state: str
    """running, done, failed, or kept (a calibration of the last day holds)."""
    expected_s: float | None = None
    """Wall seconds that a running calibration takes."""
    columns: dict[str, Any] = {}
    """Scorecard columns that are stored with every run.

    They are `client_floor_ttft_ms`, `client_floor_itl_ms`, `client_limit_tok_s`, `calibrated_utc`,
    `calibrated_path` and `path_ms`.
    """


class Progress(Event, frozen=True, kw_only=True, tag="progress"):
    """Progress of the plan, in wall seconds."""

    run: str
    phase: str
    """starting server, comparing answers, warming up, measuring, draining or computing."""
    run_elapsed_s: float
    run_left_s: float
    plan_left_s: float


class RunFinished(Event, frozen=True, kw_only=True, tag="run_finished"):
    """A row of the scorecard is final and stored."""

    run: str
    status: str
    """done, partial (stopped), skipped, failed or watched (a server under its own traffic)."""
    row: dict[str, Any]
    """The scorecard row by the CSV's column names."""
    reason_messages: list[Message] = []
    """Reasons why the run is invalid, as data."""


class RunDiagnosed(Event, frozen=True, kw_only=True, tag="diagnosis"):
    """The bottleneck of a finished run over time, and the next single change worth trying."""

    run: str
    headline: str
    strip: list[dict[str, Any]]
    """Stretches `{begin, end, bound}` along the run, in seconds of the schedule."""
    shares: dict[str, float]
    """Share of the run's time by bottleneck, largest first."""
    next_change: str | None
    sentences: list[str]
    """All findings as short sentences, most important first."""
    change: dict[str, Any] | None = None
    """`advice.Change` behind `next_change`: control, value, text, watch, cost."""
    against_baseline: list[str] = []
    """Changes of a variant against the baseline under the same load, and whether the bottleneck moved."""
    impossible: list[str] = []
    """Figures that can't be right; conclusions from them can't be right either."""
    findings: list[dict[str, Any]] = []
    """`advice.Finding`: rule, bound, verdict, evidence, moments, share, confidence, change, source."""
    reaches: list[dict[str, Any]] = []
    """`advice.Reach` of each known limit: control, limit, reached, verdict."""
    classes: dict[str, list[str]] = {}
    """Sentences on each class of requests, if there are several."""
    unseen: list[str] = []
    """Rules that lack their data."""
    messages: DiagnosisMessages | None = None
    """The texts as data; None in files of earlier versions."""


class Notice(Event, frozen=True, kw_only=True, tag="message"):
    """A note for the user."""

    level: str
    """info, warning or error."""
    text: str
    """English text."""
    message: Message | None = None
    """The text as data, for another language; None if it is text only."""

    @property
    def said(self) -> Message | str:
        """Return the message as data if there is one, else the text."""
        return self.text if self.message is None else self.message


def as_data(said: Message | WorkbenchError | str) -> Message | str:
    """Return a message or an error as data, including the error's place; keep a text as it is."""
    if isinstance(said, Refusal | WorkFailure):
        place = str(said.place)
        return about(place, said.message) if place else said.message
    return str(said) if isinstance(said, WorkbenchError) else said


def about(subject: str, said: Message | WorkbenchError | str) -> Message:
    """Return `SUBJECT: SAID`, such as a run's name before its failure."""
    return message("experiments.about", subject=subject, said=as_data(said))


def notice(level: str, said: Message | WorkbenchError | str) -> Notice:
    """Return the event of a note for the user; `level` is info, warning or error."""
    data = as_data(said)
    return Notice(level=level, text=str(data), message=data if isinstance(data, Message) else None)


class ExperimentFinished(Event, frozen=True, kw_only=True, tag="experiment_finished"):
    """The last event; everything is stored."""

    status: str
    """done, stopped or failed."""
    bench: str
    csv: str | None
    report: list[str]
    """The report in English: comparisons with the baseline, findings, the recommendation."""
    report_messages: list[Message | str] = []
    """The report as data; findings that an older build stored are texts."""
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
    | StepsRecorded
    | MachineSampled
    | ClientCalibrated
    | Progress
    | RunFinished
    | RunDiagnosed
    | Notice
    | ExperimentFinished
)


class Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line on the conductor's standard input: stop (now), stop_after_run, skip or limit."""

    command: str
    name: str | None = None
    """Name of the limit to change."""
    value: Any = None
    """New value of the limit."""


def encode_event(event: Event) -> bytes:
    """Return one line, including its newline."""
    return msgspec.json.encode(event) + b"\n"


_decoder = msgspec.json.Decoder(AnyEvent)


def decode_event(line: bytes | str) -> Event:
    """Read one line.

    Raises:
        msgspec.DecodeError: not an event of this version.
    """
    return _decoder.decode(line)
