"""The scorecard's columns: source, unit, and which direction is better."""

from dataclasses import dataclass
from typing import Any, Literal

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from ui.language import number_text


def _n(text: str) -> str:
    """Mark `text` for translation in the context of the scorecard."""
    return str(QT_TRANSLATE_NOOP("scorecard", text))


@dataclass(frozen=True)
class Column:
    """One column."""

    key: str
    """Name in the scorecard CSV, or `run`, `objectives` and `verdict`, which only the window has."""
    title: str
    unit: str = ""
    scale: float = 1.0
    """Shown unit per unit of the CSV."""
    kind: Literal["figure", "count", "text"] = "figure"
    better: Literal["higher", "lower", ""] = ""
    compared: bool = True
    """True if the difference from the baseline is shown."""
    shown: bool = True
    """Shown at first; the user chooses later."""
    tip: str = ""
    depends_on_length: bool = False
    """True if the figure grows with the length of a diverging run."""

    def header(self) -> str:
        """Return the title with its unit."""
        title = translated(self.title)
        return f"{title} ({translated(self.unit)})" if self.unit else title

    def value(self, row: dict[str, Any]) -> float | None:
        """Return the figure in the shown unit; None if unknown."""
        found = row.get(self.key)
        if self.key == "accepted_rps" and row.get("cost_rate_basis") == _BY_DUE:
            # As the recommendation and the comparison of systems count it.
            found = row.get(_BY_DUE)
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            return None
        return found * self.scale

    def words(self, value: float | None) -> str:
        """Return a figure as text, without unit."""
        return number_text.count(value) if self.kind == "count" else number_text.significant(value)


S, PERCENT = 1e-3, 100.0
_BY_DUE = "accepted_rps_carried"
"""The accepted rate of the requests due in the window."""

COLUMNS = (
    Column("run", _n("Run"), kind="text", compared=False),
    Column("offered_rps", _n("Offered"), _n("req/s"), compared=False, tip=_n("Requests due per second.")),
    Column(
        "completed_rps",
        _n("Completed"),
        _n("req/s"),
        better="higher",
        tip=_n("Requests completed per second."),
    ),
    Column(
        "ttft_p95_ms",
        _n("p95 TTFT"),
        _n("s"),
        S,
        better="lower",
        depends_on_length=True,
        tip=_n("From due to the first token; 95 of 100 requests were faster."),
    ),
    Column(
        "queue_p95_ms",
        _n("p95 queue"),
        _n("s"),
        S,
        better="lower",
        depends_on_length=True,
        tip=_n("Time in the server's queue until first scheduled; 95 of 100 waited less."),
    ),
    Column(
        "e2e_p95_ms",
        _n("p95 E2E"),
        _n("s"),
        S,
        better="lower",
        depends_on_length=True,
        tip=_n("From due to the end; 95 of 100 requests were faster."),
    ),
    Column(
        "error_rate",
        _n("Errors"),
        "%",
        PERCENT,
        better="lower",
        tip=_n("Failed, rejected, timed out or unfinished."),
    ),
    Column(
        "preemptions",
        _n("Preempted"),
        "",
        kind="count",
        better="lower",
        tip=_n("Requests preempted for lack of KV blocks; their work is computed again."),
    ),
    Column(
        "objectives",
        _n("Objectives"),
        kind="text",
        compared=False,
        tip=_n("Result for every objective, overall and in each class."),
    ),
    Column(
        "verdict",
        _n("Verdict"),
        kind="text",
        compared=False,
        tip=_n("The run compared with its baseline; only repeats separate a difference from chance."),
    ),
    Column("ttft_p50_ms", _n("p50 TTFT"), _n("s"), S, better="lower", shown=False, depends_on_length=True),
    Column("itl_p95_ms", _n("p95 ITL"), _n("ms"), better="lower", shown=False, tip=_n("Gap between tokens.")),
    Column("output_tok_s", _n("Output"), _n("tokens/s"), better="higher", shown=False),
    Column(
        "accepted_rps",
        _n("Accepted"),
        _n("req/s"),
        better="higher",
        shown=False,
        tip=_n("Completed within all latency objectives."),
    ),
    Column("rejected_rate", _n("Rejected"), "%", PERCENT, better="lower", shown=False),
    Column(
        "moved",
        _n("Also moved"),
        kind="text",
        compared=False,
        shown=False,
        tip=_n("Settings that changed besides the control under test, as reported by the server."),
    ),
    Column("kv_peak", _n("KV peak"), "%", PERCENT, better="", shown=False),
)
"""In the order of the table."""


STATUSES = {
    "planned": "",
    "running": _n("running …"),
    "skipped": _n("skipped"),
    "failed": _n("failed"),
    "partial": _n("partial"),
}
"""Texts for a run without a row."""

WATCHED = "watched"
"""Status of a server watched under its own traffic."""

IMPORTED = "imported"
"""Status of a run that another tool measured."""

JUDGED = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms", "queue_p95_ms", "error_rate")
"""Figures that the core compares with an interval (`results.FIGURES`)."""


BASELINE = _n("baseline")
"""As in the chart's legend."""


def translated(text: str) -> str:
    """Return `text` of a column in the user's language."""
    return QCoreApplication.translate("scorecard", text) if text else ""
