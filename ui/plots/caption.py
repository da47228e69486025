"""The line above all plots: the shown run, the control under test, and the run behind."""

from collections.abc import Iterable
from html import escape

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QWidget

from ui.language import number_text, texts
from ui.language.translation import translate_control
from ui.live import LiveState, RunView
from ui.look.badge import Badge
from ui.look.elided_label import ElidedLabel
from ui.look.theme import Theme
from workbench.controls import CONTROLS

_MARGIN = 24
"""Pixels around and between the run's name and the legend."""


class PlotCaption(QWidget):
    """The run's name, the legend of the two colors, and the badge of simulated figures."""

    class_chosen = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shown: tuple[LiveState, RunView | None, RunView | None] = (LiveState(), None, None)
        self._stale = QLabel()
        self.run = ElidedLabel()
        self._legend = QLabel()
        self.simulated = Badge(self.tr("simulated"), theme, self.tr("All figures here are simulated"))
        self._legend.setObjectName("legend")
        self._classes = QComboBox()
        self._classes.setObjectName("classes")
        self._classes.setAccessibleName(self.tr("Class of requests"))
        self._classes.setToolTip(self.tr("Class whose TTFT, its parts and ITL are drawn"))
        self._classes.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._classes.setVisible(False)
        self._classes.activated.connect(lambda _index: self.class_chosen.emit())
        self._embolden()
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 4, 0)
        row.addWidget(self._stale)
        row.addWidget(self.run, 1)
        row.addWidget(self._classes)
        row.addWidget(self._legend)
        row.addWidget(self.simulated)
        for label in (self._stale, self._legend):
            label.setTextFormat(Qt.TextFormat.RichText)
        self._stale.setVisible(False)
        theme.changed.connect(lambda: self.show_run(*self._shown))

    def _embolden(self) -> None:
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        self.run.setFont(bold)

    def changeEvent(self, event: QEvent) -> None:
        """Qt: keep the name bold in any size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._embolden()
            self._fit_legend()

    def show_run(self, state: LiveState, run: RunView | None, behind: RunView | None = None) -> None:
        """Describe this run and the gray one."""
        self._shown = (state, run, behind)
        self.simulated.set_on(on=run is not None and run.simulated)
        self.run.show_text(self._about(state, run))
        self._fit_legend()
        words_ = self.tr("no news from the server: the data is old")
        self._stale.setText(_mark(self._theme.ink("fail").name(), "⚠", words_))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: fit the legend beside the run's name."""
        super().resizeEvent(event)
        self._fit_legend()

    def _fit_legend(self) -> None:
        wanted = (
            self.simulated.sizeHint().width()
            + self.run.fontMetrics().horizontalAdvance(self.run.text())
            + _MARGIN
        )
        if self._classes.isVisibleTo(self):
            wanted += self._classes.sizeHint().width()
        for short in (False, True):
            self._legend.setText("&nbsp;&nbsp;&nbsp;".join(self._marks(*self._shown, short=short)))
            if self._legend.sizeHint().width() + wanted < self.width():
                break

    @property
    def chosen_class(self) -> str | None:
        """The class whose latencies are drawn; None for all requests."""
        chosen = self._classes.currentData()
        return chosen if isinstance(chosen, str) else None

    def show_classes(self, classes: Iterable[str]) -> None:
        """Offer these classes; hidden if there is nothing to choose."""
        wanted = sorted(classes, key=number_text.by_number)
        if wanted != [self._classes.itemData(place) for place in range(1, self._classes.count())]:
            before = self.chosen_class
            self._classes.clear()
            self._classes.addItem(self.tr("all classes"), None)
            for name in wanted:
                self._classes.addItem(name, name)
            self._classes.setCurrentIndex(max(0, self._classes.findData(before)) if before else 0)
        self._classes.setVisible(bool(wanted))

    def set_stale(self, *, stale: bool) -> None:
        """Show or hide the warning that the data is old."""
        self._stale.setVisible(stale)
        self._legend.setVisible(not stale)

    def _about(self, state: LiveState, run: RunView | None) -> str:
        if run is None:
            return {
                "starting": self._starting(state),
                "failed": self.tr("No run was measured"),
                "demo": state.name,
            }.get(state.phase, self.tr("No run yet"))
        parts = [run.name]
        said = {
            "partial": self.tr("partial: stopped before its end"),
            "failed": self.tr("failed"),
            "skipped": self.tr("skipped"),
            "planned": self.tr("not measured yet"),
            "imported": self.tr("another tool's figures"),
            "watched": self.tr("watched under its own traffic"),
        }
        if run.status in said and state.phase != "demo":
            parts.append(said[run.status])
        if state.live and run.status != "running":
            parts.append(self.tr("finished; the next run is being prepared"))
        return " · ".join(parts)

    def _starting(self, state: LiveState) -> str:
        if not state.runs:
            return self.tr("Preparing the plan …")
        if state.attached:
            return self.tr("Connecting to the server")
        return self.tr("Starting the server: {0}").format(texts.said(state.server_detail or state.server))

    def _marks(
        self, state: LiveState, run: RunView | None, behind: RunView | None, *, short: bool
    ) -> list[str]:
        """Return the legend; `short` leaves out the control, which is in the run's name."""
        marks = []
        if run and run.control and run.status != "imported":
            title = translate_control(CONTROLS[run.control].title) if run.control in CONTROLS else run.control
            said = self.tr("under test: {0} {1}").format(title.lower(), number_text.plain(run.value))
            said = self.tr("under test") if short else said
            marks.append(_mark(self._theme.ink("under_test").name(), "◆", said))
        if run and behind is not None:
            # A demo compares each variant with the one before it.
            known = behind is state.baseline_of(run) and state.phase != "demo"
            name = self.tr("baseline") if known else number_text.elided(behind.name, 40)
            marks.append(_mark(self._theme.secondary.name(), "━", name))
        return marks


def _mark(colour: str, symbol: str, text: str) -> str:
    return f'<span style="color:{colour}">{symbol} {escape(text)}</span>'
