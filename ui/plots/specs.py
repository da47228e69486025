"""Which plots there are and what each draws, as data."""

from dataclasses import dataclass

from PySide6.QtCore import QT_TRANSLATE_NOOP


def _n(text: str) -> str:
    """Marks `text` for translation in the context of plots."""
    return str(QT_TRANSLATE_NOOP("plots", text))


@dataclass(frozen=True)
class CurveSpec:
    """One curve: a column of the samples in the plot's unit."""

    column: str
    label: str
    meaning: str
    """Its colour: a key of `ui.theme.HUES`."""
    scale: float = 1.0
    """Plot unit per unit of the column."""
    compared: bool = False
    """Whether the baseline's curve is drawn behind it."""
    digits: int = 3
    """Significant digits of the read-out; 0 for counts."""


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
    """A fixed upper end, where the quantity has one."""
    least_top: float = 1.0
    """The upper end for data that is smaller still."""
    marks: str | None = None
    """A count whose rises are marked with ▲."""
    meaning: str = ""
    """What to read from it: the tooltip."""


MS = 1e-3

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
            "Requests that the scheduler computes, and those that wait for a seat, token budget or KV blocks."
            " Waiting that only grows means that the server can't keep up with the offered rate."
        ),
    ),
    PlotSpec(
        "ttft",
        _n("TTFT"),
        _n("s"),
        (
            CurveSpec("ttft_p50_ms", _n("p50"), "prefill", MS),
            CurveSpec("ttft_p95_ms", _n("p95"), "decode", MS, compared=True),
            CurveSpec("oldest_waiting_s", _n("oldest"), "waiting"),
        ),
        LevelSpec("objectives", "ttft_p95_ms", _n("objective"), MS),
        meaning=_n(
            "Time from when a request was due to its first token, over the last seconds; and the age of the"
            " oldest request that still has none, which shows trouble before any percentile does."
        ),
    ),
    PlotSpec(
        "kv",
        _n("KV cache"),
        _n("%"),
        (CurveSpec("kv_usage", _n("used"), "kv", 100.0, compared=True),),
        top=100.0,
        marks="preemptions",
        meaning=_n(
            "Share of the KV-cache blocks that hold the context of running requests. ▲ marks preemptions."
        ),
    ),
    PlotSpec(
        "queue",
        _n("Queue time"),
        _n("s"),
        (CurveSpec("queue_ms", _n("mean"), "waiting", MS, compared=True),),
        LevelSpec("objectives", "queue_p95_ms", _n("objective"), MS),
        meaning=_n("How long requests that finished just now had waited until they were first scheduled."),
    ),
    PlotSpec(
        "tokens",
        _n("Tokens"),
        _n("tokens/s"),
        (
            CurveSpec("input_tok_s", _n("in"), "prefill"),
            CurveSpec("output_tok_s", _n("out"), "decode", compared=True),
        ),
        meaning=_n("Prompt tokens computed and output tokens generated, a second."),
    ),
    PlotSpec(
        "preemptions",
        _n("Preemptions"),
        _n("since the start"),
        (CurveSpec("preemptions", _n("preempted"), "preemption", compared=True, digits=0),),
        least_top=5.0,
        meaning=_n(
            "Requests thrown out of the running set because the KV cache was full;"
            " their work is computed again."
        ),
    ),
)
