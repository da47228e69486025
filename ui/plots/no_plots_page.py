"""The page in place of plots for a run without curves: its origin and its known figures."""

from collections.abc import Iterator
from html import escape

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Qt
from PySide6.QtWidgets import QLabel

from ui.language import number_text
from ui.live import RunView
from ui.plots.whole_run import has_ended


def _n(text: str) -> str:
    """Mark `text` for translation in the context plots."""
    return str(QT_TRANSLATE_NOOP("plots", text))


_KNOWN = (
    ("offered_rps", _n("Offered"), _n("req/s"), 1.0),
    ("completed_rps", _n("Completed"), _n("req/s"), 1.0),
    ("completed", _n("Completed"), _n("requests"), 0.0),
    ("failed", _n("Failed"), _n("requests"), 0.0),
    ("ttft_p50_ms", _n("p50 TTFT"), _n("s"), 1e-3),
    ("ttft_p95_ms", _n("p95 TTFT"), _n("s"), 1e-3),
    ("tpot_p50_ms", _n("p50 TPOT"), _n("ms"), 1.0),
    ("itl_p95_ms", _n("p95 ITL"), _n("ms"), 1.0),
    ("e2e_p95_ms", _n("p95 E2E"), _n("s"), 1e-3),
    ("output_tok_s", _n("Output"), _n("tokens/s"), 1.0),
)
"""Columns of the scorecard's row, their titles, units and factors; 0 for a count."""


class NoPlotsPage(QLabel):
    """A few centered lines."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.setMargin(16)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setAccessibleName(self.tr("Why there are no plots"))
        self.setVisible(False)

    def show_run(self, run: RunView | None) -> bool:
        """Describe the run if it has no curves and will get none; return True then."""
        absent = run is not None and has_ended(run) and not len(run.series) and not len(run.machine)
        self.setText(self._about(run) if run is not None and absent else "")
        return absent

    def _about(self, run: RunView) -> str:
        why = f"<p>{escape(self._why(run))}</p>"
        table = "".join(
            f'<tr><td style="padding-right:16px">{escape(title)}</td>'
            f'<td align="right">{escape(value)}</td><td>&nbsp;{escape(unit)}</td></tr>'
            for title, value, unit in known_figures(run)
        )
        differs = str(run.row.get("definitions_differ") or "").rstrip(".")
        beware = f"<p>{escape(self.tr('Beware: {0}.').format(differs))}</p>" if differs else ""
        return f'<p><b>{escape(self._what(run))}</b></p>{why}<table align="center">{table}</table>{beware}'

    def _what(self, run: RunView) -> str:
        tool = run.row.get("measured_by")
        if run.status == "imported":
            return self.tr("Measured by {0}").format(tool or self.tr("another tool"))
        return {
            "failed": self.tr("This run failed before anything was measured"),
            "skipped": self.tr("This run was not measured"),
        }.get(run.status, self.tr("No samples were recorded during this run"))

    def _why(self, run: RunView) -> str:
        if run.status == "imported":
            return self.tr(
                "Its result file holds figures of the whole run only, so there is nothing to plot. "
                "Its figures:"
            )
        return self.tr("See the log for the reason.") if run.status == "failed" else ""


def known_figures(run: RunView) -> Iterator[tuple[str, str, str]]:
    """Yield title, value and unit of the known figures."""
    for key, title, unit, scale in _KNOWN:
        value = run.row.get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            said = number_text.significant(value * scale) if scale else number_text.count(value)
            translate = QCoreApplication.translate
            yield translate("plots", title), said, translate("plots", unit)
