"""The plots and their curves, as data."""

from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication


def _n(text: str) -> str:
    """Mark `text` for translation in the context plots."""
    return str(QT_TRANSLATE_NOOP("plots", text))


WITHOUT_REQUESTS = _n("Not on the metrics page; a watch sees no individual requests")
"""Text of an empty plot while a server is watched."""


def translated(text: str) -> str:
    """Return `text` of a plot's specification in the user's language."""
    return QCoreApplication.translate("plots", text)


MEAN, PEAK = "mean", _n("peak")
"""Read-out of a curve after the run; any other word is a column of the scorecard's row."""


@dataclass(frozen=True)
class CurveSpec:
    """One curve: a column of the samples in the plot's unit."""

    column: str
    label: str
    meaning: str
    """Color: a key of `ui.look.theme.HUES`."""
    scale: float = 1.0
    """Plot unit per unit of the column."""
    compared: bool = False
    """True if the baseline's curve is drawn behind it."""
    digits: int = 3
    """Significant digits of the read-out; 0 for counts."""
    whole: tuple[str, ...] = (MEAN,)
    """Read-outs after the run: `MEAN` or `PEAK` over the time under load, or a column of the row."""
    of_watch: bool = False
    """True for a curve that only a watch has."""


@dataclass(frozen=True)
class LevelSpec:
    """A level line: a limit from the run's controls, or an objective."""

    source: str
    """`limits` or `objectives`."""
    key: str
    label: str
    scale: float = 1.0


@dataclass(frozen=True)
class PlotSpec:
    """One plot."""

    id: str
    title: str
    unit: str
    curves: tuple[CurveSpec, ...]
    level: LevelSpec | None = None
    top: float | None = None
    """Fixed upper end of the axis."""
    least_top: float = 1.0
    """Minimum upper end of the axis."""
    source: str = "samples"
    """Source of its columns: `samples` of the server, `machine`, or `prompts` in progress."""
    marks: str | None = None
    """A count whose rises are marked with ▲."""
    meaning: str = ""
    """The tooltip: how to read the plot."""
    unknown: str = _n("Not reported: the server has no metrics page, or not this series")
    """The text in place of curves."""


MS = 1e-3
PERCENT_TOP = 104.0
"""Upper end for shares, so that a line at 100 and its label are visible."""

FIRST_SHOWN = ("scheduler", "ttft", "kv", "preempt", "parts", "itl", "tokens")
"""Ids of the plots shown until the user chooses others."""

PLOTS = (
    PlotSpec(
        "scheduler",
        _n("Running, waiting"),
        _n("requests"),
        (
            CurveSpec("running", _n("running"), "running", digits=0),
            CurveSpec("waiting", _n("waiting"), "waiting", compared=True, digits=0),
        ),
        LevelSpec("limits", "max_num_seqs", _n("limit")),
        meaning=_n(
            "Requests that the scheduler runs, and requests that wait for a sequence slot, token "
            "budget or KV blocks. If waiting only grows, the server can't keep up with the "
            "offered rate."
        ),
    ),
    PlotSpec(
        "ttft",
        _n("TTFT"),
        _n("s"),
        (
            CurveSpec("ttft_p50_ms", _n("p50"), "prefill", MS, whole=("ttft_p50_ms",)),
            CurveSpec("ttft_p95_ms", _n("p95"), "decode", MS, compared=True, whole=("ttft_p95_ms",)),
            CurveSpec("oldest_waiting_s", _n("oldest"), "waiting", whole=(PEAK,)),
            CurveSpec("server_ttft_ms", _n("server's mean"), "kv", MS, whole=(), of_watch=True),
        ),
        LevelSpec("objectives", "ttft_p95_ms", _n("objective"), MS),
        meaning=_n(
            "Time from due to the first token, over the last seconds; and the age of the oldest "
            "request without one, which shows trouble before any percentile. In a watch: the mean of the "
            "last seconds by the server's own histogram."
        ),
        unknown=_n("No request has had its first token"),
    ),
    PlotSpec(
        "kv",
        _n("KV cache"),
        _n("%"),
        (CurveSpec("kv_usage", _n("used"), "kv", 100.0, compared=True, whole=(MEAN, PEAK)),),
        top=PERCENT_TOP,
        marks="preemptions",
        meaning=_n(
            "Share of the KV-cache blocks that hold the context of running requests. ▲ marks preemptions."
        ),
    ),
    PlotSpec(
        "preempt",
        _n("Preempted, rejected"),
        _n("requests so far"),
        (
            CurveSpec(
                "preemptions", _n("preempted"), "preemption", compared=True, digits=0, whole=("preemptions",)
            ),
            CurveSpec("rejected", _n("rejected"), "admission", digits=0, whole=(PEAK,)),
        ),
        meaning=_n(
            "Preemptions for lack of KV blocks, whose work is computed again, and requests that an "
            "admission limit turned away, since the run's start."
        ),
    ),
    PlotSpec(
        "parts",
        _n("Parts of TTFT"),
        _n("s"),
        (
            # A mean over time differs from a mean over requests; the row lacks the other two.
            CurveSpec("admission_wait_ms", _n("client"), "admission", MS, whole=()),
            CurveSpec("queue_ms", _n("queue"), "waiting", MS, compared=True, whole=("queue_mean_ms",)),
            CurveSpec("prefill_ms", _n("prefill"), "prefill", MS, whole=()),
            CurveSpec("outside_ms", _n("outside"), "outside", MS, whole=()),
        ),
        LevelSpec("objectives", "queue_p95_ms", _n("objective"), MS),
        meaning=_n(
            "Means over requests that finished just now: the wait in the client for its cap on open "
            "requests (max_in_flight), the wait in the server until first scheduled, the time from "
            "then to the first token, and the rest of TTFT (network, front end). The last two need a "
            "server that reports each request."
        ),
        unknown=_n("Known once requests have finished"),
    ),
    PlotSpec(
        "prompts",
        _n("Long prompts"),
        _n("% computed"),
        (CurveSpec("progress", "", "prefill", 100.0, whole=()),),
        top=PERCENT_TOP,
        source="prompts",
        meaning=_n(
            "One line for each prompt longer than one step, from its first step to its last: the "
            "computed share. A flat line means that the prompt waits behind others."
        ),
        unknown=_n("Needs recorded steps: Server, “record every step of the scheduler”"),
    ),
    PlotSpec(
        "itl",
        _n("ITL"),
        _n("ms"),
        (
            CurveSpec("itl_p50_ms", _n("p50"), "prefill", whole=("itl_p50_ms",)),
            CurveSpec("itl_p95_ms", _n("p95"), "decode", compared=True, whole=("itl_p95_ms",)),
            CurveSpec("server_itl_ms", _n("server's mean"), "kv", whole=(), of_watch=True),
        ),
        LevelSpec("objectives", "itl_p95_ms", _n("objective")),
        meaning=_n(
            "Gaps between output tokens, pooled over the tokens of requests that finished just now. In a "
            "watch: the mean of the last seconds by the server's own histogram."
        ),
        unknown=_n("Known once requests have finished"),
    ),
    PlotSpec(
        "tokens",
        _n("Tokens"),
        _n("tokens/s"),
        (
            CurveSpec("input_tok_s", _n("in"), "prefill"),
            CurveSpec("output_tok_s", _n("out"), "decode", compared=True),
        ),
        meaning=_n("Prompt tokens computed and output tokens generated per second."),
    ),
    PlotSpec(
        "rates",
        _n("Requests"),
        _n("req/s"),
        (
            CurveSpec("offered_rps", _n("offered"), "waiting", whole=("offered_rps",)),
            CurveSpec("completed_rps", _n("completed"), "decode", compared=True, whole=("completed_rps",)),
            CurveSpec("rejected_rps", _n("rejected"), "preemption"),
        ),
        meaning=_n("Requests that were due, that completed and that were rejected, over the last seconds."),
        unknown=_n("No request was due"),
    ),
    PlotSpec(
        "imbalance",
        _n("Imbalance"),
        _n("largest / mean"),
        (
            CurveSpec("waiting_imbalance", _n("waiting"), "waiting", whole=("waiting_imbalance",)),
            CurveSpec("request_imbalance", _n("requests"), "prefill", whole=("request_imbalance",)),
            CurveSpec("kv_imbalance", _n("KV cache"), "kv", whole=("kv_imbalance",)),
        ),
        least_top=2.0,
        meaning=_n(
            "Largest over mean between the engines or replicas: 1 is even, their number is all on one. "
            "Waiting and KV cache now; requests are those finished since the run's start."
        ),
        unknown=_n("Only one engine, or no load on any"),
    ),
    PlotSpec(
        "cpu",
        _n("CPU"),
        _n("cores"),
        (
            CurveSpec("engine_cpu", _n("engine"), "decode"),
            CurveSpec("api_cpu", _n("API"), "prefill"),
            CurveSpec("client_cpu", _n("client"), "outside"),
        ),
        least_top=1.0,
        source="machine",
        meaning=_n(
            "Cores busy with the engine's process, with the server's HTTP process, and with the "
            "busiest load worker. A process that stays at one whole core can be the bottleneck."
        ),
        unknown=_n("Not recorded in this run"),
    ),
    PlotSpec(
        "gpu",
        _n("GPU"),
        _n("%"),
        (
            CurveSpec("gpu_utilisation", _n("busy"), "decode", 100.0),
            CurveSpec("gpu_memory", _n("memory"), "kv", 100.0),
        ),
        top=PERCENT_TOP,
        source="machine",
        meaning=_n(
            "Share of time with a running kernel, and of memory in use, for the busiest and "
            "fullest GPU. A simulated server has none."
        ),
        unknown=_n("No GPU found; a simulated server has none"),
    ),
)
