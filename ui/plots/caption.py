"""The line above all plots: which run they show, what is under test in it, and what is drawn behind."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from ui import words
from ui.live import LiveState, RunView
from ui.theme import Theme
from workbench.controls import CONTROLS


class PlotCaption(QWidget):
    """Run, legend of the two colours that hold everywhere, and the mark of simulated numbers."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shown: tuple[LiveState, RunView | None] = (LiveState(), None)
        self._stale = False
        self._run = QLabel()
        self._legend = QLabel()
        for label in (self._run, self._legend):
            label.setTextFormat(Qt.TextFormat.RichText)
        self._run.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 4, 0)
        row.addWidget(self._run, 1)
        row.addWidget(self._legend)
        theme.changed.connect(lambda: self.show_run(*self._shown))

    def show_run(self, state: LiveState, run: RunView | None) -> None:
        """Describe this run."""
        self._shown = (state, run)
        self._run.setText(self._about(state, run))
        self._legend.setVisible(not self._stale)
        self._legend.setText("&nbsp;&nbsp;&nbsp;".join(self._marks(state, run)))
        self._run.setToolTip(state.trace_sha256 and self.tr("trace {0}").format(state.trace_sha256))

    def set_stale(self, *, stale: bool) -> None:
        """Say that what is shown is old."""
        self._stale = stale
        self.show_run(*self._shown)

    def _about(self, state: LiveState, run: RunView | None) -> str:
        if run is None:
            said = {
                "starting": self._starting(state),
                "failed": self.tr("No run was measured"),
            }.get(state.phase, self.tr("No run yet"))
            return f"<b>{escape(said)}</b>"
        parts = [f"<b>{escape(run.name)}</b>"]
        if run.status not in {"running", "done"}:
            parts.append(
                escape({"partial": self.tr("partial: stopped before its end")}.get(run.status, run.status))
            )
        if state.live and run.status != "running":
            parts.append(self.tr("finished; the next run is being prepared"))
        if self._stale:
            said = self.tr("no news from the server: what is shown is old")
            parts = [_mark(self._theme.ink("fail").name(), "⚠", said), *parts]
        return " · ".join(parts)

    def _starting(self, state: LiveState) -> str:
        if not state.runs:
            return self.tr("Preparing the plan …")
        return self.tr("Starting the server: {0}").format(state.server_detail or state.server)

    def _marks(self, state: LiveState, run: RunView | None) -> list[str]:
        marks = []
        if run and run.control:
            title = CONTROLS[run.control].title if run.control in CONTROLS else run.control
            said = self.tr("under test: {0} {1}").format(title.lower(), words.plain(run.value))
            marks.append(_mark(self._theme.ink("under_test").name(), "◆", said))
        if run and state.baseline_of(run):
            marks.append(_mark(self._theme.secondary.name(), "━", self.tr("baseline")))
        if run and run.simulated:
            marks.append(_mark(self._theme.secondary.name(), words.SIMULATED, self.tr("simulated")))
        return marks


def _mark(colour: str, symbol: str, text: str) -> str:
    return f'<span style="color:{colour}">{symbol} {escape(text)}</span>'
