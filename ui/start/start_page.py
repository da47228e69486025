"""The start page: what runs, what was measured, and ways to start: a demo, a server, a trace, a file."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFont, QHideEvent, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui.connect import ConnectBox
from ui.forms import FlowLayout
from ui.look.icons import icon
from ui.look.theme import Theme
from ui.start.recent_results import RecentResults
from ui.start.running_plans import RunningPlans, clear

_HEADING = 1.25
_BUTTON = 1.15
_REFRESH_MS = 3000
"""Time between two looks for running plans, while the page shows."""
_TRACES = 4


class StartPage(QScrollArea):
    """Shown while there is nothing to plot."""

    demo_wanted = Signal()
    own_server_wanted = Signal()
    own_trace_wanted = Signal()
    tune_wanted = Signal()
    open_wanted = Signal()
    trace_wanted = Signal(Path)
    refresh_wanted = Signal()
    """The page shows: the results' folder is to be read again."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._heading = QLabel(self.tr("Which scheduler settings should this server run?"))
        self._text = QLabel(
            self.tr(
                "The workbench changes one control at a time, replays the same requests against each value,"
                " and keeps a scorecard. The demo does it on a simulated H100: it needs no GPU and takes"
                " about a minute."
            )
        )
        self.demo = QPushButton(self.tr("Run the demo"))
        self.own_server = QPushButton(self.tr("Use my server"))
        self.own_trace = QPushButton(self.tr("Use my trace"))
        self.tune = QPushButton(self.tr("Tune for me…"))
        self.tune.setObjectName("tune_for_me")
        self.open = QPushButton(self.tr("Open…"))
        self.connect_box = ConnectBox(theme)
        self.running = RunningPlans()
        self.results = RecentResults()
        self._demos = QWidget()
        self._traces = QHBoxLayout()
        self._timer = QTimer(self)
        self._timer.setInterval(_REFRESH_MS)
        self._lay_out()
        self._wire()
        self._tint()

    def _wire(self) -> None:
        self.demo.clicked.connect(self.demo_wanted)
        self.own_server.clicked.connect(self.own_server_wanted)
        self.own_trace.clicked.connect(self.own_trace_wanted)
        self.tune.clicked.connect(self.tune_wanted)
        self.open.clicked.connect(self.open_wanted)
        self._timer.timeout.connect(self.running.refresh)
        self._theme.changed.connect(self._tint)

    def _lay_out(self) -> None:
        heading = QFont(self.font())
        heading.setPointSizeF(heading.pointSizeF() * _HEADING)
        heading.setWeight(QFont.Weight.DemiBold)
        self._heading.setFont(heading)
        big = QFont(self.font())
        big.setPointSizeF(big.pointSizeF() * _BUTTON)
        self.demo.setFont(big)
        self.demo.setDefault(True)
        em = self.fontMetrics().height()
        self.demo.setMinimumSize(em * 13, round(em * 2.8))
        self.demo.setIconSize(QSize(em, em))
        self.own_server.setToolTip(self.tr("A vLLM that the program starts here"))
        self.tune.setToolTip(
            self.tr("Change one control of the form's server at a time, until none is expected to gain more")
        )
        self.open.setToolTip(self.tr("An experiment, a bench file, a trace or a pack"))
        for label in (self._heading, self._text):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        page = QWidget()
        outer = QHBoxLayout(page)
        outer.addStretch(1)
        outer.addWidget(self._column(em), 20)
        outer.addStretch(1)
        self.setWidget(page)
        self.setWidgetResizable(True)
        self.setFrameShape(self.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _column(self, em: int) -> QWidget:
        column = QWidget()
        column.setMaximumWidth(em * 52)
        inner = QVBoxLayout(column)
        inner.setSpacing(round(em * 0.8))
        inner.addStretch(1)
        inner.addWidget(self._heading)
        inner.addWidget(self._text)
        inner.addWidget(self.demo, 0, Qt.AlignmentFlag.AlignHCenter)
        others = QWidget()
        row = FlowLayout(others, centered=True)
        for button in (self.own_server, self.own_trace, self.tune, self.open):
            row.addWidget(button)
        inner.addWidget(others)
        inner.addWidget(self.connect_box)
        inner.addWidget(self.running)
        inner.addWidget(self.results)
        inner.addLayout(self._traces)
        inner.addWidget(self._demos)
        inner.addStretch(2)
        return column

    def show_demos(self, actions: Sequence[QAction]) -> None:
        """Offer the demos."""
        label = QLabel(self.tr("Demos"))
        line = QHBoxLayout(self._demos)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
        buttons = QWidget()
        line.addWidget(buttons, 1)
        row = FlowLayout(buttons)
        for action in actions:
            button = QToolButton()
            button.setDefaultAction(action)
            button.setAutoRaise(True)
            row.addWidget(button)
            label.setMinimumHeight(button.sizeHint().height())

    def show_recent(self, results: Path, recent: Sequence[str]) -> None:
        """Show the results of a folder, and the recent files: bench files and traces."""
        self.running.refresh()
        self.results.refresh(results, recent)
        clear(self._traces)
        traces = [Path(text) for text in recent if Path(text).suffix not in (".bench", ".toml", ".zip")]
        traces = [path for path in traces if path.is_file()][:_TRACES]
        if not traces:
            return
        self._traces.addWidget(QLabel(self.tr("Recent traces")))
        for path in traces:
            button = QToolButton()
            button.setText(path.name)
            button.setToolTip(str(path))
            button.setAutoRaise(True)
            button.clicked.connect(lambda _checked=False, chosen=path: self.trace_wanted.emit(chosen))
            self._traces.addWidget(button)
        self._traces.addStretch(1)

    def set_idle(self, *, idle: bool) -> None:
        """Offer what starts something only while nothing runs."""
        self.demo.setEnabled(idle)
        self.tune.setEnabled(idle)
        self.connect_box.set_idle(idle=idle)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: focus the demo button, so that Enter starts it."""
        super().showEvent(event)
        self.demo.setFocus()
        self._timer.start()
        self.refresh_wanted.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt: stop looking for plans."""
        super().hideEvent(event)
        self._timer.stop()

    def _tint(self) -> None:
        # From the application: this page's own palette changes only after the theme's signal.
        self.demo.setIcon(icon("run", QApplication.palette().color(QPalette.ColorRole.ButtonText)))
